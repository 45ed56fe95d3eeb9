import { assertionAudiencesOf } from '../../contract/addresses.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { Client } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import { AssertionRefusal, type AssertionRequest } from '../federated/assertion-request.ts';
import { WorkloadAuthentication, type WorkloadPorts } from '../federated/authenticate-workload.ts';
import { OAuthError } from '../oauth-error.ts';
import { grantScopes } from '../token/token-parameters.ts';
import { BearerRefusal, type RefusalReason } from '../verifier/bearer-refusal.ts';
import { readAudiences } from '../verifier/registered-claims.ts';
import type { VerifiedCredential } from '../verifier/verified-credential.ts';

/** Rules of the token endpoint that are others than those of an API. */
export const assertionRules: Readonly<Partial<Record<RefusalReason, string>>> = {
  token_too_long: 'an assertion has a bounded length',
  token_malformed: 'an assertion is a signed JWT of three base64url parts',
  token_type_not_allowed:
    'the typ of an assertion is JWT or missing, and for a client_assertion also client-authentication+jwt',
  token_expired: 'the time is before exp, and not too long after iat (federatedClients.maxAge)',
  token_audience_not_allowed:
    'aud is one value that names this service: its issuer, for a client_assertion also federatedClients.audience, for a grant also a token endpoint',
  insufficient_scope: 'the client has scopes, and every one that the request names',
  client_unknown:
    'the assertion names a client under the present registration of its issuer, and so does the client_id of the request, if there is one',
  issuer_unknown:
    'the issuer is a registered provider; one that a trunk group registered for itself needs federatedClients.ownProviders',
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

/** A decision of its own: no failure of another assertion counts. */
export async function decideAssertion(
  { scopes: requested, ...presented }: Omit<AssertionRequest, 'resource'>,
  ports: WorkloadPorts,
  {
    config,
    issuer,
    now,
  }: { readonly config: ManagementConfig; readonly issuer: string; readonly now: number },
): Promise<VerifiedCredential> {
  const { federatedClients } = config;
  if (federatedClients === undefined) {
    throw new RefusedError(
      'this deployment accepts no assertions: its config has no federatedClients',
    );
  }
  const { audience, ...settings } = federatedClients;
  const tokenEndpoints = assertionAudiencesOf({ ...config, issuer, federatedClients: settings });
  const workloads = new WorkloadAuthentication(ports, {
    ...settings,
    audience,
    issuer,
    tokenEndpoints,
  });
  const values = { now, random: new Uint8Array(), source: '', log: {} };
  try {
    const { client, assertion } = await workloads.decide(presented, values);
    return {
      credential: 'access_token',
      issuer: assertion.issuer,
      subject: assertion.subject,
      clientId: client.clientId,
      scopes: grantRequested(requested, client, config.ignoredScopes),
      serviceTrunkGroup: client.serviceTrunkGroup,
      audiences: readAudiences(assertion.received.payload),
      tokenId: assertion.tokenId,
      expiresAt: assertion.expiresAt,
    };
  } catch (error) {
    // The token endpoint hides that the keys cannot be fetched. An operator should know.
    throw error instanceof AssertionRefusal ? error.cause : error;
  }
}
