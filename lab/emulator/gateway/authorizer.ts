import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { isJsonObject } from '../../../contract/json-object.ts';
import { localRegion } from '../local-region.ts';
import type { AuthorizerContext, RequestAuthorizer } from './gateway-route.ts';
import { localApi } from './request-context.ts';

/** The decision of an authorizer: `allow`, or API Gateway's `ResponseType`. */
export type Authorization =
  | { readonly decision: 'allow'; readonly context: AuthorizerContext }
  | { readonly decision: 'ACCESS_DENIED'; readonly context: AuthorizerContext }
  | { readonly decision: 'UNAUTHORIZED' }
  | { readonly decision: 'AUTHORIZER_FAILURE'; readonly error: unknown }
  | { readonly decision: 'AUTHORIZER_CONFIGURATION_ERROR'; readonly error: unknown };

/** Exactly this error gives a 401. Any other error of an authorizer gives a 500. */
const unauthorizedMessage = 'Unauthorized';

function methodArn(event: APIGatewayProxyEvent): string {
  const { accountId, apiId, stage } = localApi;
  const path = event.path.replace(/^\//, '');
  return `arn:aws:execute-api:${localRegion.awsRegion}:${accountId}:${apiId}/${stage}/${event.httpMethod}/${path}`;
}

function buildAuthorizerEvent(event: APIGatewayProxyEvent): APIGatewayRequestAuthorizerEvent {
  const { body: _, isBase64Encoded: __, requestContext, ...request } = event;
  return {
    ...request,
    type: 'REQUEST',
    methodArn: methodArn(event),
    requestContext: requestContext as APIGatewayRequestAuthorizerEvent['requestContext'],
  };
}

/** IAM's wildcards: `*` is any text, `?` one character. */
function matchesArn(pattern: unknown, arn: string): boolean {
  const literal = String(pattern).replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(arn);
}

function effectsOn(arn: string, statements: readonly unknown[]): readonly unknown[] {
  return statements
    .filter(isJsonObject)
    .filter(({ Action }) => [Action].flat().some((name) => matchesArn(name, 'execute-api:Invoke')))
    .filter(({ Resource }) => [Resource].flat().some((pattern) => matchesArn(pattern, arn)))
    .map(({ Effect }) => Effect);
}

function readContext(value: unknown, principalId: string): AuthorizerContext {
  const fields = Object.entries(value ?? {}) as [string, unknown][];
  if (fields.some(([, field]) => !['string', 'number', 'boolean'].includes(typeof field))) {
    throw new TypeError('the context of an authorizer holds text, numbers and booleans');
  }
  const texts = fields.map(([name, field]) => [name, String(field)] as const);
  return { ...Object.fromEntries(texts), principalId };
}

/** @throws {TypeError} if the value is not an authorizer's output. */
function readOutput(output: unknown, arn: string): Authorization {
  if (!isJsonObject(output) || !isJsonObject(output['policyDocument'])) {
    throw new TypeError('the output of an authorizer has a policy document');
  }
  const { principalId, policyDocument, context } = output;
  if (typeof principalId !== 'string') throw new TypeError('principalId is not text');
  const effects = effectsOn(arn, [policyDocument['Statement']].flat());
  const allowed = effects.includes('Allow') && !effects.includes('Deny');
  return {
    decision: allowed ? 'allow' : 'ACCESS_DENIED',
    context: readContext(context, principalId),
  };
}

/** Invokes an authorizer for a request, and reads its output as API Gateway does. */
export async function authorize(
  authorizer: RequestAuthorizer,
  event: APIGatewayProxyEvent,
  context: Context,
): Promise<Authorization> {
  const request = buildAuthorizerEvent(event);
  let output: unknown;
  try {
    output = await authorizer.handler(request, context);
  } catch (error) {
    const refused = error instanceof Error && error.message === unauthorizedMessage;
    return refused ? { decision: 'UNAUTHORIZED' } : { decision: 'AUTHORIZER_FAILURE', error };
  }
  try {
    return readOutput(output, request.methodArn);
  } catch (error) {
    return { decision: 'AUTHORIZER_CONFIGURATION_ERROR', error };
  }
}
