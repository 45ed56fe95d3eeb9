import { maxExternalIdLength } from '../../contract/limits.ts';
import type { Client } from '../client/client.ts';
import type { ClientReader } from '../client/client-store.ts';
import { deriveProviderClientId } from '../client/provider-client-id.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { isProviderAlg } from '../identity-provider/provider-algorithms.ts';
import { type VerifierMoment, verifySignature } from './access-token.ts';
import { refuse, refuseClaim } from './bearer-refusal.ts';
import type { UnverifiedJws } from './compact-jws.ts';
import type { JsonObject } from './json-object.ts';
import type { JwksCache, JwksSource } from './jwks-cache.ts';
import { checkJwsHeader, type HeaderProfile } from './jws-header.ts';
import { checkAudience, checkTimes, readAudiences } from './registered-claims.ts';
import type { VerifiedAccessToken } from './verified-credential.ts';

/** How tokens of registered identity providers are verified. */
export interface ProviderTokenSettings {
  /** The names of the protected API in `aud`. */
  readonly audiences: readonly string[];
  /** The audience of clients that were given none. */
  readonly defaultAudience: string;
}

export interface ProviderTokenPorts {
  readonly clients: ClientReader;
  readonly jwks: JwksCache;
}

/** Not every provider follows RFC 9068, so the type may be the plain one or be left out. */
const providerTypes = ['at+jwt', 'jwt', undefined] as const;

function sourceOf(provider: IdentityProvider): JwksSource {
  const { issuer, jwksUri, registrationId, allowedAlgorithms } = provider;
  return { issuer, jwksUri, registrationId, algorithms: allowedAlgorithms.filter(isProviderAlg) };
}

/** RFC 9068 §2.2 has `client_id`, OpenID Connect Core §2 `azp`; else the subject is the client. */
const clientIdClaims = ['client_id', 'azp', 'sub'] as const;

/**
 * The client's id at the provider: the first of these claims that the token has. If its
 * value is not a valid id, the token is refused and the other claims are not tried.
 */
function readExternalClientId(claims: JsonObject): string {
  const name = clientIdClaims.find((claim) => Object.hasOwn(claims, claim));
  const value = name === undefined ? undefined : claims[name];
  if (typeof value !== 'string' || value === '' || value.length > maxExternalIdLength) {
    const expected = `a text of 1 to ${maxExternalIdLength} characters`;
    throw refuseClaim(name ?? clientIdClaims.join(' or '), value, expected);
  }
  return value;
}

/** The client must be one of this very registration, so that a new one adopts no old clients. */
function checkClient(
  client: Client | undefined,
  provider: IdentityProvider,
  externalClientId: string,
): Client {
  const at = client?.provider;
  const isOfProvider =
    at?.issuer === provider.issuer &&
    at.registrationId === provider.registrationId &&
    at.externalClientId === externalClientId;
  if (client === undefined || !isOfProvider) {
    const finding = {
      name: 'external client id',
      received: externalClientId,
      expected: `a client that was created under the present registration of ${provider.issuer}`,
    };
    throw refuse('client_unknown', () => finding, { issuer: provider.issuer });
  }
  const { clientId, enabled, serviceTrunkGroup } = client;
  if (!enabled) {
    const finding = { name: 'enabled', received: false, expected: 'true', serviceTrunkGroup };
    throw refuse('client_disabled', () => finding, { issuer: provider.issuer, clientId });
  }
  return client;
}

/** `aud` must name this API, and by a name that is one of the client's audiences. */
function allowedAudiences(client: Client, settings: ProviderTokenSettings): readonly string[] {
  const own = client.audiences.length > 0 ? client.audiences : [settings.defaultAudience];
  return own.filter((audience) => settings.audiences.includes(audience));
}

function readOptionalString(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refuseClaim(name, value, 'a text, or none');
}

/** Longer than any issuer's, and without characters that could break a log or a header. */
const plainTokenId = /^[\x21-\x7e]{1,256}$/;

/** `jti` goes to the platform API and its logs unchanged. */
function readTokenId(claims: JsonObject): string | undefined {
  const tokenId = readOptionalString(claims, 'jti');
  if (tokenId === undefined || plainTokenId.test(tokenId)) return tokenId;
  throw refuseClaim('jti', tokenId, '1 to 256 visible ASCII characters, or none');
}

/**
 * Verifies an access token of a registered identity provider. The client was created under that
 * provider and gives scopes and trunk group; nothing in the token does.
 *
 * @param jws a token whose `iss` is the provider's.
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the provider's keys or the client cannot be read.
 */
export async function verifyProviderToken(
  { jws, provider }: { readonly jws: UnverifiedJws; readonly provider: IdentityProvider },
  ports: ProviderTokenPorts,
  settings: ProviderTokenSettings,
  moment: VerifierMoment,
): Promise<VerifiedAccessToken> {
  const profile: HeaderProfile = { types: providerTypes, algorithms: provider.allowedAlgorithms };
  const header = checkJwsHeader(jws.header, profile);
  const { expiresAt } = checkTimes(jws.payload, moment.now);
  const audiences = readAudiences(jws.payload);
  const externalClientId = readExternalClientId(jws.payload);
  const tokenId = readTokenId(jws.payload);
  const subject = readOptionalString(jws.payload, 'sub') ?? externalClientId;
  const keys = { source: sourceOf(provider), jwks: ports.jwks };
  await verifySignature(jws, header, keys, moment);
  const clientId = deriveProviderClientId(provider.issuer, externalClientId);
  const found = await ports.clients.findClient(clientId, moment);
  const client = checkClient(found, provider, externalClientId);
  checkAudience(audiences, allowedAudiences(client, settings), client.serviceTrunkGroup);
  return {
    credential: 'access_token',
    issuer: provider.issuer,
    subject,
    clientId,
    scopes: client.scopes,
    serviceTrunkGroup: client.serviceTrunkGroup,
    audiences,
    tokenId,
    expiresAt,
  };
}
