import { maxExternalIdLength } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import type { CheckedClient, ClientLookup } from '../client/client.ts';
import { audiencesOfScope } from '../identity-provider/application-rule.ts';
import { readNamedClient } from '../identity-provider/client-id-claim.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { isProviderAlg } from '../identity-provider/provider-algorithms.ts';
import type { TimedPortOptions } from '../port.ts';
import { verifyTokenSignature } from './access-token.ts';
import { refuseClaim } from './bearer-refusal.ts';
import { readConfirmation } from './confirmation.ts';
import type { JwksSource, KeyFinder } from './jwks-cache.ts';
import { checkJwsHeader, type HeaderProfile } from './jws-header.ts';
import { checkConditions, getProviderClient } from './provider-client.ts';
import type { ReceivedToken } from './received-token.ts';
import { checkAudience, checkTimes, readAudiences } from './registered-claims.ts';
import { checkStatus } from './revocation-check.ts';
import type { VerifiedAccessToken } from './verified-credential.ts';

/** How tokens of registered identity providers are verified. */
export interface ProviderTokenSettings {
  /** The names of the protected API in `aud`. */
  readonly audiences: readonly string[];
  /** The audience of clients that were given none. */
  readonly defaultAudience: string;
}

interface ProviderTokenPorts {
  readonly clients: ClientLookup;
  readonly jwks: KeyFinder;
}

/** Not every provider follows RFC 9068, so the type may be the plain one or be left out. */
const providerTypes = ['at+jwt', 'jwt', undefined] as const;

/** The location of a provider's keys. */
export function providerJwksSource(provider: IdentityProvider): JwksSource {
  const { issuer, jwksUri, registrationId, ownedBy, allowedAlgorithms } = provider;
  const algorithms = allowedAlgorithms.filter(isProviderAlg);
  return { issuer, jwksUri, registrationId, ownedBy, algorithms };
}

export function readExternalClientId(
  claims: JsonObject,
  { clientIdClaim }: IdentityProvider,
): string {
  const { claim, id, received } = readNamedClient(claims, clientIdClaim);
  if (id !== undefined) return id;
  throw refuseClaim(claim, received, `a text of 1 to ${maxExternalIdLength} characters`);
}

/**
 * If a token has `aud`, only `aud` counts, with any registration (RFC 7519 §4.1.3).
 * Without it, the scopes of the token may name the API. `token_use` is Cognito's: its id tokens
 * are no access tokens.
 */
function readProviderAudiences(
  claims: JsonObject,
  { audienceFrom }: IdentityProvider,
): readonly string[] {
  if (audienceFrom === undefined || claims.aud !== undefined) return readAudiences(claims);
  const { token_use: use = 'access', scope } = claims;
  if (use !== 'access') throw refuseClaim('token_use', use, 'access, or none');
  if (typeof scope !== 'string') throw refuseClaim('scope', scope, 'a text that names the API');
  return audiencesOfScope(scope);
}

/** `aud` must name this API, and by a name that is one of the client's audiences. */
function allowedAudiences(
  client: CheckedClient,
  settings: ProviderTokenSettings,
): readonly string[] {
  const own = client.audiences.length > 0 ? client.audiences : [settings.defaultAudience];
  return own.filter((audience) => settings.audiences.includes(audience));
}

export function readOptionalString(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refuseClaim(name, value, 'a text, or none');
}

/** Longer than any issuer's, and without characters that could break a log or a header. */
const plainTokenId = /^[\x21-\x7e]{1,256}$/;

/**
 * `jti` goes to the platform API and its logs unchanged. RFC 7519 §4.1.7 allows any text: one that
 * could break them is left out.
 */
function readTokenId(claims: JsonObject): string | undefined {
  const tokenId = readOptionalString(claims, 'jti');
  return tokenId !== undefined && plainTokenId.test(tokenId) ? tokenId : undefined;
}

/** What a provider says in a token of its own. Which client that is, and what it may do, is ours. */
interface ProviderTokenClaims
  extends Pick<VerifiedAccessToken, 'subject' | 'audiences' | 'tokenId' | 'expiresAt' | 'boundTo'> {
  readonly externalClientId: string;
  readonly issuedAt: number | undefined;
}

/**
 * Verifies what does not depend on a client of this service: form, times and signature.
 *
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the provider's keys cannot be read.
 */
export async function verifyProviderClaims(
  { received, provider }: { readonly received: ReceivedToken; readonly provider: IdentityProvider },
  jwks: KeyFinder,
  options: TimedPortOptions,
): Promise<ProviderTokenClaims> {
  const profile: HeaderProfile = { types: providerTypes, algorithms: provider.allowedAlgorithms };
  const header = checkJwsHeader(received.header, profile);
  const { issuedAt, expiresAt } = checkTimes(received.payload, options.now, provider);
  const audiences = readProviderAudiences(received.payload, provider);
  const externalClientId = readExternalClientId(received.payload, provider);
  const tokenId = readTokenId(received.payload);
  const subject = readOptionalString(received.payload, 'sub') ?? externalClientId;
  const confirmation = readConfirmation(received.payload);
  await verifyTokenSignature(
    received,
    header,
    { source: providerJwksSource(provider), jwks },
    options,
  );
  return { externalClientId, subject, audiences, tokenId, issuedAt, expiresAt, ...confirmation };
}

/**
 * Verifies an access token of a registered identity provider. The client was created under that
 * provider and gives scopes and trunk group; nothing in the token does.
 *
 * @param received a token whose `iss` is the provider's.
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the provider's keys or the client cannot be read.
 */
export async function verifyProviderToken(
  token: { readonly received: ReceivedToken; readonly provider: IdentityProvider },
  ports: ProviderTokenPorts,
  settings: ProviderTokenSettings,
  options: TimedPortOptions,
): Promise<VerifiedAccessToken> {
  const { provider } = token;
  const claims = await verifyProviderClaims(token, ports.jwks, options);
  const { externalClientId, issuedAt, ...shown } = claims;
  const client = await getProviderClient(ports.clients, provider, externalClientId, options);
  checkStatus(client, issuedAt, { ...client, issuer: provider.issuer });
  checkAudience(shown.audiences, allowedAudiences(client, settings), client.serviceTrunkGroup);
  checkConditions(client, token.received.payload);
  return {
    credential: 'access_token',
    issuer: provider.issuer,
    clientId: client.clientId,
    scopes: client.scopes,
    serviceTrunkGroup: client.serviceTrunkGroup,
    ...shown,
  };
}
