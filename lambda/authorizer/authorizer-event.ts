import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { routeKey } from '../../contract/platform-authorizer.ts';
import type { BearerRequest } from '../../core/verifier/verify-bearer.ts';
import { readHeader } from '../shared/http-message.ts';

/** A guarded method without configured scopes: a mistake in the deployment. */
export class UnknownRouteError extends Error {
  override readonly name = 'UnknownRouteError';
}

/** Required scopes by route, e.g. `GET /messages` → `messaging:view`. */
export type RequiredScopes = Readonly<Record<string, string>>;

const anyMethod = 'ANY';

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
    authorization: readHeader(event.multiValueHeaders ?? {}, 'authorization'),
    // According to the gateway. No header of the request is used.
    sourceAddress: event.requestContext.identity.sourceIp,
    signal,
  };
}
