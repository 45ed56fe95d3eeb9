import { hash, type KeyObject } from 'node:crypto';
import { maxClockLead, verifierLeeway } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { isProofAlg, type ProofAlg, proofAlgs } from '../../contract/proof-algorithms.ts';
import { PublicJwkError, readPublicJwk } from '../jws/caller-key.ts';
import { isSignatureValid } from '../jws/jws-signature.ts';
import { BearerRefusal, type RefusalReason, refuseBearer } from './bearer-refusal.ts';
import { decodeUnverifiedJws } from './compact-jws.ts';
import { readType } from './jws-header.ts';
import type { ProofHolder, ProofMemory } from './proof-memory.ts';

/** Seconds after its `iat` for which a proof is accepted: a client makes one for each request. */
const proofLife = 60;

/** Characters. RFC 9449 §4.2 wants 96 bits of randomness or a UUID; a hash has 64. */
const maxProofIdLength = 256;

/** A request as its client sees it, and the proofs that it carries. */
export interface ProofTarget {
  /** Each `DPoP` header. */
  readonly proofs: readonly string[];
  readonly method: string;
  /** The URLs that the request may have been for, without query. Only those of the API's own hosts. */
  readonly urls: readonly string[];
}

/** What an API asks of proofs. */
export interface ProofRules {
  readonly memory: ProofMemory;
  /** `alg` values that are accepted. */
  readonly algorithms?: readonly ProofAlg[] | undefined;
}

/** The token of a request, and the key that it is bound to. */
interface ProvenToken {
  readonly value: string;
  /** RFC 7638. */
  readonly boundTo: string;
}

function refuseProof(
  name: string,
  received: unknown,
  expected = '',
  reason: RefusalReason = 'proof_invalid',
): BearerRefusal {
  return refuseBearer(reason, () => ({ name, received, expected }), { proofPart: name });
}

/** RFC 3986 §6.2.2.2: an encoded character that needs no encoding is the character. */
function decodeUnreserved(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
}

/** Characters of a URL (RFC 3986 §2): `URL` would read a backslash or a blank as something else. */
const urlCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** RFC 9449 §4.3: without query and fragment, in the form that every spelling has. */
function normaliseUrl(url: string): string | undefined {
  const parsed = urlCharacters.test(url) ? URL.parse(url) : null;
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return undefined;
  return parsed.origin + decodeUnreserved(parsed.pathname);
}

function isSameUrl(received: unknown, urls: readonly string[]): boolean {
  if (typeof received !== 'string') return false;
  if (urls.includes(received)) return true;
  const normal = normaliseUrl(received);
  return normal !== undefined && urls.some((url) => normaliseUrl(url) === normal);
}

/** @returns the last second in which the proof is accepted. */
function checkTimes({ iat, nbf = iat, exp = Infinity }: JsonObject, now: number): number {
  const earliest = now - proofLife - verifierLeeway;
  if (typeof iat !== 'number' || iat < earliest) throw refuseProof('iat', iat, `from ${earliest}`);
  if (typeof nbf !== 'number') throw refuseProof('nbf', nbf, 'a number');
  const latest = now + maxClockLead;
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time > latest) throw refuseProof(name, time, `at most ${latest}`, 'proof_not_yet_valid');
  }
  if (typeof exp !== 'number' || exp <= now - verifierLeeway) {
    throw refuseProof('exp', exp, `later than ${now - verifierLeeway}`);
  }
  return Math.ceil(iat) + proofLife + verifierLeeway;
}

function readProofId(jti: unknown): string {
  if (typeof jti === 'string' && jti !== '' && jti.length <= maxProofIdLength) return jti;
  throw refuseProof('jti', jti, `a text of 1 to ${maxProofIdLength} characters`);
}

function decodeProof(proofs: readonly string[]) {
  const [proof, ...others] = proofs;
  if (proof === undefined) throw new BearerRefusal('proof_missing');
  if (others.length > 0) throw refuseProof('DPoP headers', proofs.length, '1');
  try {
    return decodeUnverifiedJws(proof);
  } catch (cause) {
    if (!(cause instanceof BearerRefusal)) throw cause;
    throw new BearerRefusal('proof_invalid', { proofPart: 'form' }, { cause });
  }
}

/** The key of a proof. @param boundTo which it must be, if a token is bound to it. */
function importKey(
  jwk: unknown,
  alg: ProofAlg,
  boundTo: string | undefined,
  memory: ProofMemory,
): { readonly jkt: string; readonly publicKey: KeyObject } {
  try {
    const key = readPublicJwk(jwk);
    const jkt = key.thumbprint;
    // Before anything is imported or remembered: only the holders of good tokens take space.
    if (jkt !== (boundTo ?? jkt)) throw refuseProof('jwk', jkt, boundTo, 'proof_key_wrong');
    return { jkt, publicKey: memory.importKey(key, alg) };
  } catch (error) {
    if (!(error instanceof PublicJwkError)) throw error;
    throw new BearerRefusal('proof_invalid', { proofPart: 'jwk' }, { cause: error });
  }
}

/** RFC 9449 §4.2: `typ`, an asymmetric `alg`, and the public key itself. */
function readHeader(
  { typ, alg, jwk, crit }: JsonObject,
  boundTo: string | undefined,
  { memory, algorithms = proofAlgs }: ProofRules,
) {
  if (readType(typ) !== 'dpop+jwt') throw refuseProof('typ', typ, 'dpop+jwt');
  if (!isProofAlg(alg) || !algorithms.includes(alg)) {
    throw refuseProof('alg', alg, algorithms.join(', '));
  }
  if (crit !== undefined) throw refuseProof('crit', crit, 'none');
  return { alg, ...importKey(jwk, alg, boundTo, memory) };
}

/**
 * Verifies the proof of a request with a bound token, whose own signature is verified, or of one for
 * such a token (RFC 9449 §4.3, §5, §7.1). Cheap checks run first.
 *
 * @param now seconds since the epoch.
 * @returns the RFC 7638 thumbprint of its key.
 * @throws {BearerRefusal}
 */
export function verifyProof(
  target: ProofTarget,
  { holder, token }: { readonly holder: ProofHolder; readonly token?: ProvenToken },
  rules: ProofRules,
  now: number,
): string {
  const { memory } = rules;
  const { header, payload, signingInput, signature } = decodeProof(target.proofs);
  const { htm, htu, jti, ath, nonce } = payload;
  if (htm !== target.method) throw refuseProof('htm', htm, target.method);
  if (!isSameUrl(htu, target.urls)) throw refuseProof('htu', htu, target.urls.join(' or '));
  const until = checkTimes(payload, now);
  const id = readProofId(jti);
  if (token !== undefined && ath !== hash('sha256', token.value, 'base64url')) {
    throw refuseProof('ath', ath, 'the SHA-256 hash of the access token');
  }
  const { alg, jkt, publicKey } = readHeader(header, token?.boundTo, rules);
  if (!isSignatureValid(alg, publicKey, signingInput, signature)) {
    throw refuseProof('signature', 'of another key', 'of the key in the header of the proof');
  }
  if (memory.nonces !== undefined && !memory.nonces.accepts(nonce, now)) {
    throw refuseProof('nonce', nonce, 'one that this API gave', 'proof_nonce_missing');
  }
  const admission = memory.admit({ holder, id: `${jkt} ${id}` }, until, now);
  if (admission === 'replayed') {
    throw refuseProof('jti', id, 'one that was not used before', 'proof_replayed');
  }
  if (admission === 'full') throw new BearerRefusal('proof_limit_reached');
  return jkt;
}
