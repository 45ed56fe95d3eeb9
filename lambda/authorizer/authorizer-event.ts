import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { routeKey } from '../../contract/platform-authorizer.ts';
import type { BearerRequest } from '../../core/verifier/verify-bearer.ts';

/** A guarded method without configured scopes: a mistake in the deployment. */
export class UnknownRouteError extends Error {
  override readonly name = 'UnknownRouteError';
}

/** Required scopes by route, e.g. `GET /messages` → `messaging:view`. */
export type RequiredScopes = Readonly<Record<string, string>>;

const anyMethod = 'ANY';

/** Every `Authorization` header; the case of its name does not matter. */
function readAuthorization(event: APIGatewayRequestAuthorizerEvent): readonly string[] {
  return Object.entries(event.multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []);
}

/** The source address according to the gateway. No header of the request is used. */
function readSourceAddress(event: APIGatewayRequestAuthorizerEvent): string | undefined {
  return event.requestContext.identity.sourceIp;
}

/**
 * The scopes that the method of an event requires. An `ANY` entry applies to methods without an
 * entry of their own.
 *
 * @throws {UnknownRouteError} if the method has none. It must not be open by mistake.
 */
export function readRequiredScopes(
  event: APIGatewayRequestAuthorizerEvent,
  required: RequiredScopes,
): readonly string[] {
  const { resourcePath } = event.requestContext;
  const keys = [routeKey(event.httpMethod, resourcePath), routeKey(anyMethod, resourcePath)];
  const key = keys.find((candidate) => Object.hasOwn(required, candidate));
  if (key === undefined) throw new UnknownRouteError(`no scopes are configured for ${keys[0]}`);
  return (required[key] ?? '').split(' ').filter((scope) => scope !== '');
}

/** The parts of an event that the decision depends on. */
export function readBearerRequest(
  event: APIGatewayRequestAuthorizerEvent,
  signal: AbortSignal,
): Omit<BearerRequest, 'requiredScopes' | 'now'> {
  return {
    authorization: readAuthorization(event),
    sourceAddress: readSourceAddress(event),
    signal,
  };
}
