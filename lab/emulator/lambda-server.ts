import { randomUUID } from 'node:crypto';
import { AwsError, contentTypes, sendAnswer } from './aws-server/aws-error.ts';
import {
  type RunningService,
  type ServiceOptions,
  startAwsServer,
} from './aws-server/aws-server.ts';
import type { VerifiedRequest } from './aws-server/verify-signature.ts';
import { localApi } from './gateway/request-context.ts';
import type { HttpResponse } from './http-exchange.ts';
import { describeFunctionCall, readFunctionCall } from './iam/lambda-calls.ts';

/** A function that is invoked with an event, not with an HTTP request. */
export type EventHandler = (event: unknown, invocation: EventInvocation) => Promise<unknown>;

/** What Lambda says of an invocation. */
interface EventInvocation {
  /** With the version or the alias, if the caller named one. */
  readonly functionArn: string;
}

interface LambdaOptions extends ServiceOptions {
  /** By name. */
  readonly functions: ReadonlyMap<string, EventHandler>;
  /** Environments of functions, by name. Every alias names the one version. */
  readonly environments?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
}

/** Lambda's quota of a synchronous invocation's event. */
const maxEventBytes = 6 * 1024 * 1024;

function parseEvent(body: Buffer): unknown {
  try {
    return JSON.parse(body.length === 0 ? '{}' : body.toString());
  } catch {
    throw new AwsError('InvalidRequestContentException', 'the event is not JSON');
  }
}

function toAnswer(payload: unknown, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': contentTypes.lambda,
      'x-amzn-requestid': randomUUID(),
      'x-amz-executed-version': '$LATEST',
      ...headers,
    },
    body: Buffer.from(JSON.stringify(payload)),
  };
}

/** Lambda answers 200 if the function threw, and names the error in the body. */
function functionError(error: unknown): HttpResponse {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const payload = { errorType: name, errorMessage: message, trace: [] };
  return toAnswer(payload, { 'x-amz-function-error': 'Unhandled' });
}

function notFound(name = ''): AwsError {
  return new AwsError('ResourceNotFoundException', `Function not found: ${name}`, 404);
}

async function answer(request: VerifiedRequest, options: LambdaOptions): Promise<HttpResponse> {
  const call = readFunctionCall(request);
  if (call === undefined) throw notFound();
  await options.accessControl?.authorize('lambda', request);
  if (call.operation === 'GetFunctionConfiguration') {
    const Variables = options.environments?.get(call.name);
    if (Variables === undefined) throw notFound(call.name);
    return toAnswer({ FunctionName: call.name, Environment: { Variables } });
  }
  if (call.operation !== 'InvokeFunction') return toAnswer({});
  const { resource } = describeFunctionCall(call, {
    region: request.region,
    account: localApi.accountId,
  });
  return invoke(request, { name: call.name, arn: resource }, options);
}

async function invoke(
  request: VerifiedRequest,
  { name, arn: functionArn }: { readonly name: string; readonly arn: string },
  { functions }: LambdaOptions,
): Promise<HttpResponse> {
  const handler = functions.get(name);
  if (handler === undefined) throw notFound(name);
  const event = parseEvent(request.body);
  try {
    return toAnswer((await handler(event, { functionArn })) ?? null);
  } catch (error) {
    return functionError(error);
  }
}

/**
 * Starts a server with Lambda's Invoke and GetFunctionConfiguration on loopback, for `authctl`,
 * which invokes the key rotation, and for the deployment check.
 */
export function startLambda(options: LambdaOptions): Promise<RunningService> {
  return startAwsServer('Lambda server', {
    ...options,
    service: 'lambda',
    maxRequestBytes: maxEventBytes,
    answer: async (request, response) => sendAnswer(response, await answer(request, options)),
  });
}
