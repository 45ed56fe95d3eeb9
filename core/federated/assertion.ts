import { maxClockLead, maxExternalIdLength, verifierLeeway } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import type { AssertionForm } from '../../contract/management/questions.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { providerAlgs } from '../identity-provider/provider-algorithms.ts';
import { isProviderUrlText } from '../identity-provider/provider-url.ts';
import { verifyTokenSignature } from '../verifier/access-token.ts';
import { refuseClaim, refuseFor } from '../verifier/bearer-refusal.ts';
import type { KeyFinder } from '../verifier/jwks-cache.ts';
import { checkJwsHeader } from '../verifier/jws-header.ts';
import {
  providerJwksSource,
  readExternalClientId,
  readOptionalString,
} from '../verifier/provider-token.ts';
import type { ReceivedToken } from '../verifier/received-token.ts';
import { checkTimes, readAudiences, readStringClaim } from '../verifier/registered-claims.ts';

/** What an assertion must say. Times are seconds. */
export interface AssertionSettings {
  /** Of this service. */
  readonly issuer: string;
  /** Those of the discovery document. */
  readonly tokenEndpoints: readonly string[];
  /** One more `aud` of a `client_assertion`. */
  readonly audience?: string | undefined;
  /** How long after its `iat` an assertion is accepted. */
  readonly maxAge: number;
}

/** An assertion whose signature is not verified yet. */
export interface UnverifiedAssertion {
  readonly form: AssertionForm;
  readonly received: ReceivedToken;
  /** Its `iss`, which may be registered. */
  readonly issuer: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** An assertion that its provider signed. What it says of the client is not looked at yet. */
export interface VerifiedAssertion extends UnverifiedAssertion {
  readonly provider: IdentityProvider;
  /** The client's id at the provider. */
  readonly externalClientId: string;
  /** For the log: `sub`, and `jti` if there is one. */
  readonly subject: string;
  readonly tokenId: string | undefined;
}

/**
 * RFC 8725 §3.12: what a provider signs for an API (`at+jwt`) is no assertion. Most platforms write
 * `JWT` or nothing. draft-ietf-oauth-rfc7523bis has a type of its own for the authentication.
 */
export const typesOfAssertions: Readonly<Record<AssertionForm, readonly (string | undefined)[]>> = {
  client_assertion: ['jwt', 'client-authentication+jwt', undefined],
  jwt_bearer: ['jwt', undefined],
};

/**
 * draft-ietf-oauth-rfc7523bis, after CVE-2025-27370 and 27371: an authentication names the issuer. A
 * grant may also name a token endpoint. Nothing of the request decides.
 */
function audiencesOf(form: AssertionForm, settings: AssertionSettings): readonly string[] {
  const { issuer, tokenEndpoints, audience } = settings;
  if (form === 'jwt_bearer') return [issuer, ...tokenEndpoints];
  return audience === undefined ? [issuer] : [issuer, audience];
}

/** One value only: an assertion for several services could be used at each of them by the others. */
function checkOneAudience(claims: JsonObject, allowed: readonly string[]): void {
  const audiences = readAudiences(claims);
  const [audience = ''] = audiences;
  if (audiences.length === 1 && allowed.includes(audience)) return;
  const expected = `one value: ${allowed.join(' or ')}`;
  throw refuseFor('token_audience_not_allowed', 'aud', audiences, expected);
}

/** `iat` is required, because it bounds for how long an assertion is accepted. */
export function checkAge(claims: JsonObject, now: number, maxAge: number) {
  const { issuedAt, expiresAt } = checkTimes(claims, now, { lead: maxClockLead });
  if (issuedAt === undefined) throw refuseClaim('iat', undefined, 'seconds since 1970');
  const oldest = now - maxAge - verifierLeeway;
  if (issuedAt < oldest) {
    const expected = `at least ${oldest}, ${maxAge} s ago`;
    throw refuseFor('token_expired', 'iat', issuedAt, expected);
  }
  return { issuedAt, expiresAt };
}

/** Tokens of this service are never assertions, also if their issuer is registered. */
function readIssuer(claims: JsonObject, ownIssuer: string): string {
  const issuer = readStringClaim(claims, 'iss');
  if (issuer !== ownIssuer && isProviderUrlText(issuer)) return issuer;
  const expected = 'the issuer of a registered provider';
  throw refuseFor('issuer_unknown', 'iss', issuer, expected);
}

/**
 * Checks all of an assertion that can be checked without a record and a key.
 *
 * @throws {BearerRefusal}
 */
export function readUnverifiedAssertion(
  received: ReceivedToken,
  form: AssertionForm,
  settings: AssertionSettings,
  now: number,
): UnverifiedAssertion {
  checkJwsHeader(received.header, { types: typesOfAssertions[form], algorithms: providerAlgs });
  const issuer = readIssuer(received.payload, settings.issuer);
  checkOneAudience(received.payload, audiencesOf(form, settings));
  const times = checkAge(received.payload, now, settings.maxAge);
  return { form, received, issuer, ...times };
}

/**
 * Only the log has these texts, whose lines are JSON, so any text is good (RFC 7519 §4.1.2,
 * §4.1.7). A long one is cut.
 */
function readLogged(claims: JsonObject, name: 'sub' | 'jti'): string | undefined {
  return readOptionalString(claims, name)?.slice(0, maxExternalIdLength);
}

/**
 * Verifies the signature with a key of the provider, and reads who signed for whom.
 *
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the provider's keys cannot be fetched.
 */
export async function verifyAssertion(
  assertion: UnverifiedAssertion,
  provider: IdentityProvider,
  jwks: KeyFinder,
  options: { readonly now: number; readonly signal?: AbortSignal | undefined },
): Promise<VerifiedAssertion> {
  const { received, form } = assertion;
  const profile = { types: typesOfAssertions[form], algorithms: provider.allowedAlgorithms };
  const header = checkJwsHeader(received.header, profile);
  await verifyTokenSignature(
    received,
    header,
    { source: providerJwksSource(provider), jwks },
    options,
  );
  const externalClientId = readExternalClientId(received.payload, provider);
  const subject = readLogged(received.payload, 'sub') ?? externalClientId;
  const tokenId = readLogged(received.payload, 'jti');
  return { ...assertion, provider, externalClientId, subject, tokenId };
}
