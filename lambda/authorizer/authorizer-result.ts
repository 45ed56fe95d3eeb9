import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  ConditionBlock,
  Statement,
} from 'aws-lambda';
import {
  type AuthorizerContext,
  requiredScopeContextKey,
  routeKey,
} from '../../contract/platform-authorizer.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { RefusalFacts } from '../../core/verifier/bearer-refusal.ts';
import { identifyCaller } from '../../core/verifier/caller-identity.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import type { BearerRequest } from '../../core/verifier/verify-bearer.ts';
import { readHeader } from '../shared/http-message.ts';

/** The only action that API Gateway evaluates in a policy (execute-api). */
const invoke = 'execute-api:Invoke';

function policy(statement: Statement): APIGatewayAuthorizerResult['policyDocument'] {
  return { Version: '2012-10-17', Statement: [statement] };
}

function contextOf(verified: VerifiedCredential): AuthorizerContext {
  const caller = identifyCaller(verified);
  return {
    client_id: caller.clientId,
    scope: caller.scope,
    service_trunk_group: caller.serviceTrunkGroup,
    credential: caller.credential,
    issuer: caller.issuer,
    jti: caller.tokenId,
  };
}

/**
 * API Gateway evaluates a cached policy for each request. This condition ends it when the token
 * expires.
 */
function endsWith(verified: VerifiedCredential): ConditionBlock | undefined {
  if (verified.credential !== 'access_token') return undefined;
  return { DateLessThan: { 'aws:CurrentTime': formatTime(verified.expiresAt) } };
}

/**
 * Allows exactly the requested method.
 *
 * @param isCached whether the gateway may cache the result.
 */
export function allow(
  verified: VerifiedCredential,
  methodArn: string,
  isCached: boolean,
): APIGatewayAuthorizerResult {
  const condition = isCached ? endsWith(verified) : undefined;
  return {
    principalId: verified.credential === 'api_key' ? verified.keyId : verified.clientId,
    policyDocument: policy({
      Effect: 'Allow',
      Action: invoke,
      Resource: methodArn,
      ...(condition === undefined ? {} : { Condition: condition }),
    }),
    context: contextOf(verified),
  };
}

/** Denies a request that lacks a scope. The gateway's 403 shows the required scopes. */
export function deny(facts: RefusalFacts, methodArn: string): APIGatewayAuthorizerResult {
  return {
    principalId: facts.clientId ?? facts.keyId ?? 'unknown',
    policyDocument: policy({ Effect: 'Deny', Action: invoke, Resource: methodArn }),
    context: { [requiredScopeContextKey]: (facts.requiredScopes ?? []).join(' ') },
  };
}

/** A guarded method without configured scopes: a mistake in the deployment. */
class UnknownRouteError extends Error {
  override readonly name = 'UnknownRouteError';
}

/** Required scopes by route, e.g. `GET /messages` → `messaging:view`. */
type RequiredScopes = Readonly<Record<string, string>>;

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
