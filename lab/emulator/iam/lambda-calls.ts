import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import type { ResourceCall } from './access-control.ts';

/** A function as a path of Lambda's API names it. */
interface NamedFunction {
  readonly name: string;
  /** Version or alias. */
  readonly qualifier: string | undefined;
}

const invocationPath = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?(.*))?$/;

/** A name, a partial ARN (`account:function:name`) or an ARN, each with or without a qualifier. */
const identifier = /^(?:(?:arn:aws:lambda:[^:]+:)?[^:]+:function:)?([^:]+)(?::([^:]+))?$/;

/** Reads which function a request invokes; undefined for any other request. */
export function readInvokedFunction({
  method,
  url,
}: Pick<VerifiedRequest, 'method' | 'url'>): NamedFunction | undefined {
  const [, encoded, query = ''] = invocationPath.exec(url) ?? [];
  if (method !== 'POST' || encoded === undefined) return undefined;
  const [, name, qualifier] = identifier.exec(decodeURIComponent(encoded)) ?? [];
  if (name === undefined) return undefined;
  return { name, qualifier: qualifier ?? new URLSearchParams(query).get('Qualifier') ?? undefined };
}

/** What the invocation of a function does. */
export function invocationCall(
  { name, qualifier }: NamedFunction,
  { region, account }: { readonly region: string; readonly account: string },
): ResourceCall {
  const parts = ['arn:aws:lambda', region, account, 'function', name, qualifier];
  const resource = parts.filter((part) => part !== undefined).join(':');
  return { action: 'lambda:InvokeFunction', resource, context: {} };
}
