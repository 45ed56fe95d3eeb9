import type { AccessTokenType } from '../../contract/access-token-type.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import type { TimedPortOptions } from '../port.ts';
import { refuseClaim, refuseFor } from './bearer-refusal.ts';
import { readConfirmation } from './confirmation.ts';
import type { JwksSource, KeyFinder } from './jwks-cache.ts';
import { checkJwsHeader, type HeaderProfile, type JwsHeader, readType } from './jws-header.ts';
import type { ReceivedToken } from './received-token.ts';
import { checkAudience, checkTimes, readAudiences, readStringClaim } from './registered-claims.ts';
import { checkRevocation, type RevocationCheck } from './revocation-check.ts';
import type { VerifiedAccessToken } from './verified-credential.ts';

/** How tokens of this service are verified. */
export interface OwnTokenSettings {
  /** Compared byte for byte with `iss`. */
  readonly issuer: string;
  readonly jwksUri: string;
  /** The names of the protected API in `aud`; one match is enough. */
  readonly audiences: readonly string[];
  /** `accessTokenType` of the deployment; `at+jwt` if left out. */
  readonly accessTokenType?: AccessTokenType | undefined;
}

interface OwnTokenPorts {
  readonly jwks: KeyFinder;
  /** Without it the client is not looked up. */
  readonly revocation?: RevocationCheck | undefined;
}

/** The location of this service's own keys. */
export function ownJwksSource(settings: OwnTokenSettings): JwksSource {
  const { issuer, jwksUri } = settings;
  return { issuer, jwksUri, algorithms: algs, registrationId: 'own' };
}

/**
 * RFC 9068 §4: only access tokens, so that no other JWT of the issuer is accepted as one. If the
 * deployment issues the type JWT, tokens of the other type are also accepted: those that it issued
 * before the change.
 */
const ownProfiles: Readonly<Record<AccessTokenType, HeaderProfile>> = {
  'at+jwt': { types: ['at+jwt'], algorithms: algs },
  JWT: { types: ['jwt', 'at+jwt'], algorithms: algs },
};

/** Claims that other kinds of JWT have, and no access token of this service (RFC 8725 §3.12). */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 'htm', 'htu', 'ath', 'events', 'act'] as const;

/**
 * The type JWT says nothing, so the claims must (RFC 8725 §3.12): the subject is the client
 * itself, and no claim belongs to an ID token, a proof or an event.
 */
function checkKind({ header, payload }: ReceivedToken, token: VerifiedAccessToken): void {
  if (readType(header.typ) === 'at+jwt') return;
  if (token.subject !== token.clientId) {
    throw refuseClaim('sub', token.subject, 'the same as client_id');
  }
  const foreign = foreignClaims.find((name) => Object.hasOwn(payload, name));
  if (foreign !== undefined) throw refuseClaim(foreign, payload[foreign], 'no such claim');
}

/**
 * Verifies the signature with the issuer's own key of that id, and with the algorithm of that
 * key (RFC 8725 §3.1): a token cannot choose either.
 *
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the issuer's keys cannot be fetched.
 */
export async function verifyTokenSignature(
  token: ReceivedToken,
  header: JwsHeader,
  { source, jwks }: { readonly source: JwksSource; readonly jwks: KeyFinder },
  options: TimedPortOptions,
): Promise<void> {
  const key = await jwks.findKey(source, header.kid, options);
  if (key === undefined) {
    const leftOut = jwks.findLeftOut?.(source, header.kid);
    const why = leftOut === undefined ? '' : `; this one is left out: ${leftOut}`;
    const expected = `a key in the key set of ${source.issuer}${why}`;
    throw refuseFor('token_key_unknown', 'kid', header.kid, expected);
  }
  const { alg } = key;
  if (alg !== header.alg) {
    const expected = `${alg}, the algorithm of the key ${header.kid}`;
    throw refuseFor('token_algorithm_not_allowed', 'alg', header.alg, expected);
  }
  if (!token.isSignedBy(key)) {
    const expected = 'the key that made the signature';
    throw refuseFor('token_signature_wrong', 'kid', header.kid, expected);
  }
}

/** RFC 6749 §3.3: scopes are separated by one space. Without the claim there is no scope (RFC 9068 §2.2.3). */
function readScopes(claims: JsonObject): readonly string[] {
  const { scope = '' } = claims;
  if (typeof scope !== 'string') throw refuseClaim('scope', scope, 'a text');
  return scope.split(' ').filter((name) => name !== '');
}

/** The claims that RFC 9068 §2.2 requires, and those of the platform. */
function readOwnClaims(claims: JsonObject, now: number) {
  const { expiresAt, issuedAt } = checkTimes(claims, now, { isOwn: true });
  if (issuedAt === undefined) throw refuseClaim('iat', undefined, 'whole seconds since 1970');
  const token: VerifiedAccessToken = {
    credential: 'access_token',
    issuer: readStringClaim(claims, 'iss'),
    subject: readStringClaim(claims, 'sub'),
    clientId: readStringClaim(claims, 'client_id'),
    scopes: readScopes(claims),
    serviceTrunkGroup: readStringClaim(claims, 'service_trunk_group'),
    audiences: readAudiences(claims),
    tokenId: readStringClaim(claims, 'jti'),
    expiresAt,
    ...readConfirmation(claims),
  };
  return { token, issuedAt };
}

/**
 * Verifies an access token of this service (RFC 9068 §4). Cheap checks run first, so that
 * no key is fetched, and no client looked up, for a token that is refused anyway.
 *
 * @param received a token whose `iss` is the service's.
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the service's keys or the client cannot be read.
 */
export async function verifyOwnToken(
  received: ReceivedToken,
  { jwks, revocation }: OwnTokenPorts,
  settings: OwnTokenSettings,
  options: TimedPortOptions,
): Promise<VerifiedAccessToken> {
  const header = checkJwsHeader(received.header, ownProfiles[settings.accessTokenType ?? 'at+jwt']);
  const { token, issuedAt } = readOwnClaims(received.payload, options.now);
  checkKind(received, token);
  checkAudience(token.audiences, settings.audiences);
  await verifyTokenSignature(received, header, { source: ownJwksSource(settings), jwks }, options);
  return revocation === undefined ? token : checkRevocation(token, issuedAt, revocation, options);
}
