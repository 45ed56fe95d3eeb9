import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Authorization, authorize } from './authorizer.ts';
import { buildGatewayError, buildRouteError } from './gateway-error.ts';
import type {
  AuthorizerContext,
  GatewayCall,
  GatewayErrorType,
  GatewayRequest,
  GatewayResponse,
} from './gateway-route.ts';
import { buildLambdaContext } from './lambda-context.ts';
import { buildProxyEvent } from './proxy-event.ts';
import { readProxyResponse } from './proxy-response.ts';

/** Receives each mistake of a function: it threw, or returned an invalid response. */
export type OnFunctionError = (functionName: string, error: unknown) => void;

/**
 * Lambda transports events and responses as JSON, so values that JSON cannot represent are lost.
 */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null') as T;
}

class IntegrationTimeoutError extends Error {
  override readonly name = 'IntegrationTimeoutError';
}

async function withTimeout<T>(run: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new IntegrationTimeoutError(`no answer within ${milliseconds} ms`));
    timer = setTimeout(fail, milliseconds).unref();
  });
  try {
    return await Promise.race([run, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function refuse(
  call: GatewayCall,
  type: GatewayErrorType,
  context: AuthorizerContext = {},
): GatewayResponse {
  const own = call.route.errors?.find((error) => error.type === type);
  return own === undefined ? buildGatewayError(type) : buildRouteError(own, context);
}

async function askAuthorizer(
  event: APIGatewayProxyEvent,
  call: GatewayCall,
): Promise<Authorization> {
  const { authorizer } = call.route;
  if (authorizer === undefined) return { decision: 'allow', context: {} };
  const deadline = Date.now() + call.timeout;
  const context = buildLambdaContext(authorizer.functionName, call.requestId, deadline);
  const handler: typeof authorizer.handler = (authorizerEvent, lambdaContext) =>
    withTimeout(authorizer.handler(authorizerEvent, lambdaContext), call.timeout);
  return authorize({ ...authorizer, handler }, throughJson(event), context);
}

async function invoke(event: APIGatewayProxyEvent, call: GatewayCall): Promise<unknown> {
  const { route, requestId, timeout } = call;
  const context = buildLambdaContext(route.functionName, requestId, Date.now() + timeout);
  return throughJson(await withTimeout(route.handler(throughJson(event), context), timeout));
}

/**
 * Passes a request to the authorizer, if there is one, then to its function, and reads the output.
 */
export async function integrate(
  request: GatewayRequest,
  call: GatewayCall,
  onFunctionError: OnFunctionError,
): Promise<GatewayResponse> {
  const event = buildProxyEvent(request, call);
  const authorization = await askAuthorizer(event, call);
  if ('error' in authorization) {
    onFunctionError(call.route.authorizer?.functionName ?? '', authorization.error);
    return refuse(call, authorization.decision);
  }
  if (authorization.decision === 'UNAUTHORIZED') return refuse(call, authorization.decision);
  const { decision, context } = authorization;
  if (decision !== 'allow') return refuse(call, decision, context);
  const authorizer = call.route.authorizer === undefined ? undefined : context;
  const requestContext = { ...event.requestContext, authorizer };
  try {
    const output = await invoke({ ...event, requestContext }, call);
    return readProxyResponse(output);
  } catch (error) {
    if (error instanceof IntegrationTimeoutError) return refuse(call, 'INTEGRATION_TIMEOUT');
    onFunctionError(call.route.functionName, error);
    return refuse(call, 'INTEGRATION_FAILURE');
  }
}
