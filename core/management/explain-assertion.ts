import { addressesOf, tokenEndpointsOf } from '../../contract/addresses.ts';
import { withoutProviders } from '../../contract/function-environments.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { Client } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import { AssertionRefusal, type AssertionRequest } from '../federated/assertion-request.ts';
import { WorkloadAuthentication, type WorkloadPorts } from '../federated/authenticate-workload.ts';
import { OAuthError } from '../oauth-error.ts';
import { grantScopes } from '../token/granted.ts';
import { BearerRefusal, type RefusalReason } from '../verifier/bearer-refusal.ts';
import { readOptionalString } from '../verifier/provider-token.ts';
import { checkTimes, readAudiences } from '../verifier/registered-claims.ts';
import type { VerifiedCredential } from '../verifier/verified-credential.ts';

/** Rules of the token endpoint that are others than those of an API. */
export const assertionRules: Readonly<Partial<Record<RefusalReason, string>>> = {
  token_too_long: 'an assertion has a bounded length',
  token_malformed: 'an assertion is a signed JWT of three base64url parts',
  token_type_not_allowed:
    'the typ of an assertion is JWT or missing, and for a client_assertion also client-authentication+jwt',
  token_expired:
    'the time is before exp, and not too long after iat (maxAge of federatedClients or clientKeys)',
  token_audience_not_allowed:
    'aud is one value that names this service: its issuer, for a client_assertion also federatedClients.audience, for a grant also a token endpoint',
  insufficient_scope: 'the client has scopes, and every one that the request names',
  client_unknown:
    'the assertion names a client under the present registration of its issuer, or with clientKeys itself, and so does the client_id of the request, if there is one',
  issuer_unknown:
    'the issuer is a registered provider, or with clientKeys the client itself; a provider that a trunk group registered for itself needs federatedClients.ownProviders',
};

/** @throws {BearerRefusal} whose cause is what the token endpoint responds. */
function grantRequested(
  requested: readonly string[] | undefined,
  { clientId, scopes, serviceTrunkGroup }: Client,
  ignored: readonly string[] | undefined,
): readonly string[] {
  try {
    return grantScopes(requested?.length === 0 ? undefined : requested, scopes, ignored);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const expected = `scopes of the client: ${scopes.join(' ') || 'none'}`;
    const finding = () => ({ name: 'scope', received: requested, expected, serviceTrunkGroup });
    throw new BearerRefusal('insufficient_scope', { clientId }, { cause: error, finding });
  }
}

/** What a decision about an assertion depends on, apart from the records. */
interface AssertionContext {
  readonly config: ManagementConfig;
  readonly issuer: string;
  readonly now: number;
}

/** The token endpoint hides that keys cannot be fetched, and what is wrong. An operator should know. */
function revealed(error: AssertionRefusal): unknown {
  return error.cause ?? new BearerRefusal('client_unknown', {}, { cause: new OAuthError(error) });
}

/** A decision of its own: no failure of another assertion counts. */
export async function decideAssertion(
  { scopes: requested, ...presented }: Omit<AssertionRequest, 'resource'>,
  ports: WorkloadPorts,
  { config, issuer, now }: AssertionContext,
): Promise<VerifiedCredential> {
  const { federatedClients, clientKeys } = config;
  if (federatedClients === undefined && clientKeys === undefined) {
    throw new RefusedError(
      'this deployment accepts no assertions: its config has no federatedClients and no clientKeys',
    );
  }
  const workloads = new WorkloadAuthentication(ports, {
    ...(federatedClients ?? withoutProviders),
    issuer,
    tokenEndpoints: tokenEndpointsOf(addressesOf(config, issuer)),
    clientKeys,
  });
  const values = { now, random: new Uint8Array(), source: '', log: {} };
  try {
    const { client, received, ...decision } = await workloads.decide(presented, values);
    return {
      credential: 'access_token',
      issuer: decision.issuer,
      subject: decision.subject,
      clientId: client.clientId,
      scopes: grantRequested(requested, client, config.ignoredScopes),
      serviceTrunkGroup: client.serviceTrunkGroup,
      audiences: readAudiences(received.payload),
      tokenId: readOptionalString(received.payload, 'jti'),
      expiresAt: checkTimes(received.payload, now).expiresAt,
    };
  } catch (error) {
    throw error instanceof AssertionRefusal ? revealed(error) : error;
  }
}
