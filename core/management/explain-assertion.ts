import { addressesOf, tokenEndpointsOf } from '../../contract/addresses.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { Client } from '../client/client.ts';
import type { ClientReader } from '../client/client-store.ts';
import { RefusedError } from '../errors.ts';
import { AssertionRefusal, type AssertionRequest } from '../federated/assertion-request.ts';
import { WorkloadAuthentication, type WorkloadPorts } from '../federated/authenticate-workload.ts';
import {
  ClientKeyAuthentication,
  type ClientKeySettings,
  isOfClient,
} from '../federated/client-key-authentication.ts';
import { OAuthError } from '../oauth-error.ts';
import { grantScopes } from '../token/token-parameters.ts';
import { BearerRefusal, type RefusalReason } from '../verifier/bearer-refusal.ts';
import { readOptionalString } from '../verifier/provider-token.ts';
import { type ReceivedToken, readToken } from '../verifier/received-token.ts';
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

/** @throws {BearerRefusal} of a client that is found, with its trunk group. */
async function decideByKey(
  received: ReceivedToken,
  { scopes: requested, clientId }: Pick<AssertionRequest, 'scopes' | 'clientId'>,
  clients: ClientReader,
  { config, issuer, now, keys }: AssertionContext & { readonly keys: ClientKeySettings },
): Promise<VerifiedCredential> {
  let found: Client | undefined;
  const findClient: ClientReader['findClient'] = async (...call) => {
    found = await clients.findClient(...call);
    return found;
  };
  const values = { now, random: new Uint8Array(), source: '', log: {} };
  try {
    const tokenEndpoints = tokenEndpointsOf(addressesOf(config, issuer));
    const byKey = new ClientKeyAuthentication({ findClient }, keys, { issuer, tokenEndpoints });
    const { client } = await byKey.authenticate(received, { clientId }, values);
    return {
      credential: 'access_token',
      issuer: client.clientId,
      subject: client.clientId,
      clientId: client.clientId,
      scopes: grantRequested(requested, client, config.ignoredScopes),
      serviceTrunkGroup: client.serviceTrunkGroup,
      audiences: readAudiences(received.payload),
      tokenId: readOptionalString(received.payload, 'jti'),
      expiresAt: checkTimes(received.payload, now).expiresAt,
    };
  } catch (error) {
    if (!(error instanceof AssertionRefusal)) throw error;
    const { reason } = error;
    const expected = 'an enabled client, a key of it that works, and no client_id but its own';
    const serviceTrunkGroup = found?.serviceTrunkGroup;
    const finding = () => ({
      name: 'client authentication',
      received: reason,
      expected,
      serviceTrunkGroup,
    });
    const cause = new OAuthError(error);
    throw new BearerRefusal('client_unknown', { clientId: found?.clientId }, { cause, finding });
  }
}

/** A decision of its own: no failure of another assertion counts. */
export async function decideAssertion(
  { scopes: requested, ...presented }: Omit<AssertionRequest, 'resource'>,
  ports: WorkloadPorts,
  context: AssertionContext,
): Promise<VerifiedCredential> {
  const { config, issuer, now } = context;
  const { federatedClients, clientKeys } = config;
  if (presented.form === 'client_assertion' && clientKeys !== undefined) {
    const received = readToken(presented.assertion, undefined);
    if (isOfClient(received)) {
      const request = { scopes: requested, clientId: presented.clientId };
      return decideByKey(received, request, ports.clients, { ...context, keys: clientKeys });
    }
  }
  if (federatedClients === undefined) {
    throw new RefusedError(
      clientKeys === undefined
        ? 'this deployment accepts no assertions: its config has no federatedClients'
        : 'this deployment accepts only assertions of its own clients: its config has no federatedClients',
    );
  }
  const tokenEndpoints = tokenEndpointsOf(addressesOf(config, issuer));
  const workloads = new WorkloadAuthentication(ports, {
    ...federatedClients,
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
