import type { KeyObject } from 'node:crypto';
import {
  assertionMemory,
  authenticationFailureThrottle,
  maxClockLead,
  verifierLeeway,
} from '../../contract/bounds.ts';
import { isClientId } from '../../contract/client-id.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import type { ClientKeyAlg } from '../../contract/proof-algorithms.ts';
import { BoundedMap, remember } from '../bounded-map.ts';
import {
  type Client,
  type ClientReader,
  type ClientSecret,
  expiresSoon,
  withoutSyntheticAuthority,
} from '../client/client.ts';
import {
  type ClientKey,
  clientKeyOf,
  importClientKey,
  keyThumbprint,
  plainAlg,
} from '../client/client-key.ts';
import { findAuthenticationFailure } from '../token/client-authentication.ts';
import { FailureThrottle } from '../token/failure-throttle.ts';
import type { AuthenticatedRequest } from '../token/federation.ts';
import type { TokenValues } from '../token/token-values.ts';
import { refuseBearer, refuseClaim, refuseFor } from '../verifier/bearer-refusal.ts';
import { checkJwsHeader } from '../verifier/jws-header.ts';
import type { ReceivedToken } from '../verifier/received-token.ts';
import { checkTimes, readStringClaim } from '../verifier/registered-claims.ts';
import { type AssertionSettings, checkAge, typesOfAssertions } from './assertion.ts';
import { AssertionRefusal } from './assertion-request.ts';

export interface ClientKeySettings {
  readonly algorithms: readonly ClientKeyAlg[];
  /** Seconds after its `iat` for which an assertion is accepted; without it, before its `exp`. */
  readonly maxAge: number;
  /** Whether `aud` may also be a token endpoint, and not only the issuer of this service. */
  readonly tokenEndpointAudience: boolean;
}

/** A client that signed its assertion with a key of its own. */
type KeyHolder = Pick<AuthenticatedRequest, 'client' | 'secret'>;

interface ImportedKey {
  readonly key: KeyObject;
  readonly thumbprint: string;
}

/**
 * The base points of the curves (FIPS 186-5) and a number as large as a modulus. A client that has
 * no key for an assertion costs a verification with one of them, as if it had another key.
 */
const decoys: Readonly<Record<ClientKeyAlg, string>> = (() => {
  const rsa = Buffer.alloc(256, 0xff).toString('base64url');
  return {
    ES256:
      'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY.T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
    ES384:
      'qofKIr6LBTeOscce8yCtdG4dO2KLp5uYWfdB4IJUKjhVAvJdv1UpbDpUXjhydgq3.NhfeSpYmLG9dnpi_kpLcKfj0Hb0omhR86doxE7XwuMAKYLHOHX6BnXpDHXyQ6g5f',
    Ed25519: 'WGZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmY',
    PS256: rsa,
    RS256: rsa,
    RS384: rsa,
  };
})();

/** Whether an assertion says that a client of this service signed it itself. */
export function isOfClient({ payload: { iss } }: ReceivedToken): boolean {
  return typeof iss === 'string' && isClientId(iss);
}

/** RFC 7523 §3 wants no `kid`: all keys that may have signed are the client's own. */
function readHeader({ header }: ReceivedToken, algorithms: readonly ClientKeyAlg[]) {
  const { kid = '-' } = header;
  const names = algorithms.flatMap((alg) => (alg === 'Ed25519' ? [alg, 'EdDSA'] : [alg]));
  const profile = { types: typesOfAssertions.client_assertion, algorithms: names };
  const found = checkJwsHeader({ ...header, kid }, profile);
  return { kid: found.kid, alg: plainAlg(found.alg) as ClientKeyAlg };
}

/** RFC 7523 §3: the client is issuer and subject; RFC 7521 §4.2: and the `client_id`, if there is one. */
function readClientId(claims: JsonObject, clientId: string | undefined): string {
  const issuer = readStringClaim(claims, 'iss');
  const subject = readStringClaim(claims, 'sub');
  if (subject !== issuer) throw refuseClaim('sub', subject, 'the same as iss');
  if (clientId === undefined || clientId === issuer) return issuer;
  throw new AssertionRefusal('client_id_mismatch');
}

/** FAPI 2.0 §5.3.2.1: a text, not a list. Nothing of the request decides (CVE-2025-27370). */
function checkAudience({ aud }: JsonObject, allowed: readonly string[]): void {
  if (typeof aud === 'string' && allowed.includes(aud)) return;
  const expected = `a text: ${allowed.join(' or ')}`;
  throw refuseFor('token_audience_not_allowed', 'aud', aud, expected);
}

/** RFC 7523 §3: `iat` may be left out. Then `exp` bounds for how long an assertion is accepted. */
function checkLife(claims: JsonObject, now: number, maxAge: number): void {
  if (claims['iat'] !== undefined) return void checkAge(claims, now, maxAge);
  const latest = now + maxAge + verifierLeeway;
  if (checkTimes(claims, now, { lead: maxClockLead }).expiresAt <= latest) return;
  throw refuseClaim('iat', undefined, `seconds since 1970, or exp of at most ${latest}`);
}

/** Authenticates clients by their own keys (RFC 7523 §2.2, §3). */
export class ClientKeyAuthentication {
  readonly #clients: ClientReader;
  readonly #settings: ClientKeySettings;
  readonly #audiences: readonly string[];
  readonly #failures = new FailureThrottle(authenticationFailureThrottle);
  /** By what is stored of the key. */
  readonly #keys = new BoundedMap<string, ImportedKey>(assertionMemory.entries);

  constructor(
    clients: ClientReader,
    settings: ClientKeySettings,
    { issuer, tokenEndpoints }: Pick<AssertionSettings, 'issuer' | 'tokenEndpoints'>,
  ) {
    this.#clients = clients;
    this.#settings = settings;
    this.#audiences = settings.tokenEndpointAudience ? [issuer, ...tokenEndpoints] : [issuer];
  }

  /**
   * Cheap checks run first. Then the client is read once, as for a secret, and at least one signature
   * is verified, whether the client exists or not. Fills in `log`.
   *
   * @throws {BearerRefusal} or {AssertionRefusal} if the assertion is refused.
   * @throws {TooManyFailuresError} for what failed too often.
   */
  async authenticate(
    received: ReceivedToken,
    presented: { readonly clientId: string | undefined },
    { now, source, signal, log }: TokenValues,
  ): Promise<KeyHolder> {
    const { algorithms, maxAge } = this.#settings;
    const header = readHeader(received, algorithms);
    const clientId = readClientId(received.payload, presented.clientId);
    checkAudience(received.payload, this.#audiences);
    checkLife(received.payload, now, maxAge);
    log.clientId = clientId;
    // As with secrets: one old key that is used again and again holds up no other key of the client.
    const attempt = { source, clientId, clientSecret: header.kid };
    this.#failures.assertAllowed(attempt, now);
    const client = await this.#clients.findClient(clientId, { signal });
    const secret = this.#findSigner(received, header, client?.secrets ?? []);
    if (secret !== undefined) log.secretId = secret.secretId;
    const failure = findAuthenticationFailure(client, secret, now);
    if (failure !== undefined || client === undefined || secret === undefined) {
      this.#failures.record(attempt, now);
      if (client !== undefined && secret === undefined) throw refuseKey(client, header.alg);
      throw refuseClient(client, failure ?? 'unknown_client');
    }
    if (expiresSoon(secret, now)) log.secretExpiresAt = secret.expiresAt;
    const { secretId, lastUsedOn } = secret;
    return { client: withoutSyntheticAuthority(client), secret: { secretId, lastUsedOn } };
  }

  /** Every key with that algorithm is tried; the one that `kid` names, a hint, is first. */
  #findSigner(
    received: ReceivedToken,
    { alg, kid }: { readonly alg: ClientKeyAlg; readonly kid: string },
    secrets: readonly ClientSecret[],
  ): ClientSecret | undefined {
    const isSignedBy = (key: ClientKey) => {
      const { key: publicKey, thumbprint } = this.#import(key);
      return received.isSignedBy({ kid: thumbprint, alg, publicKey });
    };
    const keys = secrets.flatMap((secret) => {
      const key = clientKeyOf(secret);
      return key?.alg === alg ? [{ secret, key }] : [];
    });
    const isNamed = ({ secret, key }: (typeof keys)[number]) =>
      Number(secret.secretId === kid || this.#import(key).thumbprint === kid);
    const ordered = keys.toSorted((a, b) => isNamed(b) - isNamed(a));
    if (ordered.length === 0) isSignedBy({ alg, publicKey: decoys[alg] });
    return ordered.find(({ key }) => isSignedBy(key))?.secret;
  }

  #import(key: ClientKey): ImportedKey {
    return remember(this.#keys, `${key.alg} ${key.publicKey}`, () => ({
      key: importClientKey(key),
      thumbprint: keyThumbprint(key),
    }));
  }
}

function refuseKey({ clientId, serviceTrunkGroup }: Client, alg: string) {
  const expected = `of a key of the client that was registered for ${alg}`;
  const seen = { name: 'signature', received: 'of another key', expected, serviceTrunkGroup };
  return refuseBearer('token_signature_wrong', () => seen, { clientId });
}

/** The log and the caller get the reason of a secret that is refused, an operator the finding. */
function refuseClient(client: Client | undefined, received: string) {
  const expected = 'an enabled client, and a key of it that works';
  const serviceTrunkGroup = client?.serviceTrunkGroup;
  const seen = { name: 'client authentication', received, expected, serviceTrunkGroup };
  const cause = refuseBearer('client_unknown', () => seen, { clientId: client?.clientId });
  return new AssertionRefusal(received, 'client_assertion', { cause });
}
