import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import type { ResourceCall } from './authorizer.ts';

/** A call of Lambda's API that names a function. */
interface FunctionCall {
  readonly operation: 'InvokeFunction' | 'GetFunctionConfiguration' | 'GetFunctionConcurrency';
  readonly name: string;
  /** Version or alias. */
  readonly qualifier: string | undefined;
}

const functionPath =
  /^\/(?:2015-03-31|2019-09-30)\/functions\/([^/?]+)\/(invocations|configuration|concurrency)(?:\?(.*))?$/;

/** A call of the whole account, which no policy can limit to a resource. */
export function isAccountSettings({
  method,
  url,
}: Pick<VerifiedRequest, 'method' | 'url'>): boolean {
  return method === 'GET' && /^\/2016-08-19\/account-settings\/?$/.test(url);
}

const operations = new Map([
  ['POST invocations', 'InvokeFunction'],
  ['GET configuration', 'GetFunctionConfiguration'],
  ['GET concurrency', 'GetFunctionConcurrency'],
] as const);

/** A name, a partial ARN (`account:function:name`) or an ARN, each with or without a qualifier. */
const identifier = /^(?:(?:arn:aws:lambda:[^:]+:)?[^:]+:function:)?([^:]+)(?::([^:]+))?$/;

/** Reads what a request does with which function; undefined for any other request. */
export function readFunctionCall({
  method,
  url,
}: Pick<VerifiedRequest, 'method' | 'url'>): FunctionCall | undefined {
  const [, encoded = '', path, query = ''] = functionPath.exec(url) ?? [];
  const operation = operations.get(`${method} ${path}` as 'POST invocations');
  const [, name, qualifier] = identifier.exec(decodeURIComponent(encoded)) ?? [];
  if (operation === undefined || name === undefined) return undefined;
  return {
    operation,
    name,
    qualifier: qualifier ?? new URLSearchParams(query).get('Qualifier') ?? undefined,
  };
}

/** The permission that such a call needs. */
export function describeFunctionCall(
  { operation, name, qualifier }: FunctionCall,
  { region, account }: { readonly region: string; readonly account: string },
): ResourceCall {
  const parts = ['arn:aws:lambda', region, account, 'function', name, qualifier];
  const resource = parts.filter((part) => part !== undefined).join(':');
  return { action: `lambda:${operation}`, resource, context: {} };
}
