import { createPublicKey } from 'node:crypto';
import * as v from 'valibot';
import {
  maxKeyIdLength,
  maxOwnProviderKeyBits,
  maxOwnProviderKeys,
  maxProviderKeys,
} from '../../contract/bounds.ts';
import type { keySet as keySetResult } from '../../contract/management/results.ts';
import { RefusedError } from '../errors.ts';
import { isProviderAlg, type ProviderAlg, providerAlgorithms } from './provider-algorithms.ts';

/** A key that verifies a provider's tokens: only public members, and a certain `kid` and `alg`. */
export type ProviderKey = Readonly<Found['keys'][number]> & { readonly alg: ProviderAlg };

type Found = v.InferOutput<typeof keySetResult>;

/** The keys, and those that this service does not use, such as encryption keys, with the reason. */
export interface ProviderKeySet extends Omit<Found, 'keys'> {
  readonly keys: readonly ProviderKey[];
}

/** A key set that cannot be trusted as a whole. Has a line for each problem. */
export class KeySetError extends RefusedError {
  override readonly name = 'KeySetError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the key set is refused: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

const keySet = v.looseObject({ keys: v.array(v.looseObject({ kty: v.string() })) });

type RawKey = v.InferOutput<typeof keySet>['keys'][number];

/** Public members of each key type (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */
const publicMembers = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  AKP: ['pub'],
} as const;

/** Private and symmetric members (RFC 7518 §6, RFC 9964 §3). A published one is a leak. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

const base64url = /^[A-Za-z0-9_-]+$/;

type Assessment = { key: ProviderKey } | { skipped: string } | { problem: string };

/** A key's `alg`, or the only one that its type and the provider's own list allow. */
function decideAlg(raw: RawKey, allowed: readonly ProviderAlg[] | undefined): string | Assessment {
  if (typeof raw.alg === 'string') return raw.alg;
  if (raw.alg !== undefined) return { skipped: 'its alg is not a string' };
  const [fitting, ...others] = (allowed ?? []).filter((alg) => fits(raw, alg));
  if (fitting === undefined) return { skipped: 'it has no alg' };
  if (others.length === 0) return fitting;
  // RFC 8725 §3.1: one key has one algorithm. A weak key is one for each of them.
  const found = readPublicMembers(raw, fitting);
  if (!('key' in found)) return found;
  const list = [fitting, ...others].join(' or ');
  return { skipped: `it has no alg, and it could be a key for ${list}: --algorithm decides` };
}

function fits(raw: RawKey, alg: ProviderAlg): boolean {
  const { kty, crv } = providerAlgorithms[alg];
  return raw.kty === kty && (crv === undefined || raw.crv === crv);
}

function readPublicMembers(raw: RawKey, alg: ProviderAlg): Assessment {
  const { kty } = providerAlgorithms[alg];
  const kid = typeof raw.kid === 'string' ? raw.kid : '';
  const members: Record<string, string> = {};
  for (const name of publicMembers[kty]) {
    const value = raw[name];
    if (typeof value !== 'string' || !base64url.test(value)) {
      return { skipped: `its member ${name} is not base64url` };
    }
    members[name] = value;
  }
  const excess = kty === 'RSA' ? findRsaExcess(members) : undefined;
  if (excess !== undefined) return { skipped: excess };
  const weakness = findWeakness(kty, members);
  if (weakness !== undefined) return { problem: weakness };
  try {
    createPublicKey({ key: { kty, alg, ...members }, format: 'jwk' });
  } catch {
    return { problem: `it is not a valid ${kty} public key` };
  }
  return { key: { kid, alg, kty, ...members } };
}

function findWeakness(
  kty: ProviderKey['kty'],
  { n = '', e = '', x = '' }: Readonly<Record<string, string>>,
): string | undefined {
  if (kty === 'RSA') return findRsaWeakness(n, e);
  return kty === 'OKP' ? findEd25519Weakness(x) : undefined;
}

function judge(raw: RawKey, allowed: readonly ProviderAlg[] | undefined): Assessment {
  const secret = secretMembers.find((name) => Object.hasOwn(raw, name));
  if (secret !== undefined) return { problem: `it holds the secret member ${secret}` };
  if (raw.kty === 'oct') return { problem: 'it is a symmetric key' };
  if (raw.use === 'enc') return { skipped: 'it encrypts' };
  if (raw.use !== undefined && raw.use !== 'sig') return { skipped: 'its use is not "sig"' };
  const operations = raw.key_ops;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return { skipped: 'its key_ops do not name "verify"' };
  }
  if (raw.kid === undefined) return { skipped: 'it has no kid' };
  if (typeof raw.kid !== 'string' || raw.kid === '' || raw.kid.length > maxKeyIdLength) {
    return { skipped: `its kid is not a string of 1 to ${maxKeyIdLength} characters` };
  }
  const alg = decideAlg(raw, allowed);
  if (typeof alg !== 'string') return alg;
  if (!isProviderAlg(alg)) return { skipped: 'its alg is not one that is supported' };
  if (allowed !== undefined && !allowed.includes(alg)) {
    return { skipped: `its alg ${alg} is not one that the provider says it uses` };
  }
  return fits(raw, alg) ? readPublicMembers(raw, alg) : { skipped: `its type does not fit ${alg}` };
}

function nameOf(raw: RawKey, index: number): string {
  const kid = typeof raw.kid === 'string' ? JSON.stringify(raw.kid.slice(0, 64)) : 'without kid';
  return `key ${index + 1} (${kid})`;
}

/** A copy is the same key. Of several keys with one `kid`, none can be chosen (RFC 7517 §4.5). */
function leaveOutConflicts<Found extends Assessment>(found: readonly Found[]) {
  const texts = new Map<string, Set<string>>();
  return found
    .filter((one) => {
      if (!('key' in one)) return true;
      const same = texts.get(one.key.kid) ?? new Set();
      const text = JSON.stringify(one.key);
      if (same.has(text)) return false;
      texts.set(one.key.kid, same.add(text));
      return true;
    })
    .map((one) => {
      const isConflict = 'key' in one && (texts.get(one.key.kid)?.size ?? 0) > 1;
      if (!isConflict) return one;
      const { key: _, ...rest } = one;
      return { ...rest, skipped: 'another key has the same kid' };
    });
}

function explainNoKey(reasons: readonly string[]): string {
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  return `it has no key that verifies signatures${why}`;
}

/**
 * Reads the key set of an identity provider. Keys that are not usable signature keys are left out
 * (RFC 7517 §5): odd and ambiguous ones verify nothing. One secret or weak key refuses the set: the
 * provider, or an attacker in its place, cannot be trusted with the others either.
 *
 * @param allowed `alg` values that the provider may use; undefined: any that is supported.
 * @throws {KeySetError} if the set is malformed, one of its keys is secret or weak, or none can be
 * used.
 */
export function lintKeySet(
  document: unknown,
  allowed: readonly ProviderAlg[] | undefined,
): ProviderKeySet {
  const parsed = v.safeParse(keySet, document);
  if (!parsed.success) throw new KeySetError(['it is not a JWK set']);
  const raw = parsed.output.keys;
  if (raw.length > maxProviderKeys) {
    throw new KeySetError([`it has ${raw.length} keys; allowed: at most ${maxProviderKeys}`]);
  }
  const assessments = leaveOutConflicts(
    raw.map((key, index) => ({
      name: nameOf(key, index),
      kid: typeof key.kid === 'string' ? key.kid : '',
      ...judge(key, allowed),
    })),
  );
  const keys = assessments.flatMap((assessment) => ('key' in assessment ? [assessment.key] : []));
  const problems = assessments.flatMap((found) =>
    'problem' in found ? `${found.name}: ${found.problem}` : [],
  );
  if (problems.length > 0) throw new KeySetError(problems);
  const skipped = assessments.filter((found) => 'skipped' in found);
  if (keys.length === 0) {
    throw new KeySetError([explainNoKey(skipped.map((one) => `${one.name}: ${one.skipped}`))]);
  }
  return { keys, skipped: skipped.map((one) => ({ kid: one.kid, reason: one.skipped })) };
}

/**
 * Checks the size of a key set of a provider that a customer registers for itself.
 *
 * @throws {KeySetError} if it has too many keys, or too long ones.
 */
export function checkOwnKeySet({ keys, skipped }: ProviderKeySet): void {
  const count = keys.length + skipped.length;
  const problems = count <= maxOwnProviderKeys ? [] : [`it has ${count} keys`];
  for (const { kid, n } of keys) {
    const bits = n === undefined ? 0 : findRsaBits(n);
    if (bits <= maxOwnProviderKeyBits) continue;
    problems.push(`the modulus of the key ${JSON.stringify(kid.slice(0, 64))} has ${bits} bits`);
  }
  if (problems.length === 0) return;
  const allowed = `at most ${maxOwnProviderKeys} keys, RSA keys of at most ${maxOwnProviderKeyBits} bits`;
  throw new KeySetError([...problems, `a provider of a trunk group's own may have ${allowed}`]);
}

/** The field of Curve25519 (RFC 8032 §5.1). */
const p = 2n ** 255n - 19n;

/** The curve's d is -121665/121666. */
const numerator = 121_665n;
const denominator = 121_666n;

/** RFC 8032 §5.1.2: y, little-endian, and the sign of x in the highest bit. */
const keyBytes = 32;

/**
 * Whether a point of the curve has an order of 8 or less. With such a key, a signature verifies for
 * many messages and no one needs its private half. The points of order 1, 2 and 4 have y of 1, -1
 * and 0; twice a point of order 8 has y of 0, so that d y^4 + 2 y^2 = 1.
 */
function hasSmallOrder(y: bigint): boolean {
  if (y === 0n || y === 1n || y === p - 1n) return true;
  const square = (y * y) % p;
  return (2n * denominator * square - numerator * square * square - denominator) % p === 0n;
}

/**
 * What is wrong with the public key of an Ed25519 key; undefined if nothing is found.
 *
 * @param x member of the JWK (RFC 8037 §2).
 */
function findEd25519Weakness(x: string): string | undefined {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== keyBytes) return undefined;
  const number = BigInt(`0x${Buffer.from([...bytes].toReversed()).toString('hex')}`);
  const y = number & (2n ** 255n - 1n);
  if (y >= p) return 'its y coordinate is not below the prime of the curve (RFC 8032 §5.1.3)';
  return hasSmallOrder(y)
    ? 'its point has a small order, so signatures can be forged for it'
    : undefined;
}

/**
 * The library behind CVE-2017-15361 (ROCA) made primes that are powers of 65537 modulo every
 * small prime. These primes are the ones below 168 for which few residues are such powers: a
 * sound modulus passes as weak once in about 2^27.
 */
const fingerprintPrimes = [
  11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
];

const generator = 65_537;

function powersModulo(prime: number): ReadonlySet<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * generator) % prime) powers.add(power);
  return powers;
}

const fingerprint = fingerprintPrimes.map((prime) => [BigInt(prime), powersModulo(prime)] as const);

/** Whether an RSA modulus has the fingerprint of CVE-2017-15361, so that it can be factored. */
export function hasRocaFingerprint(modulus: bigint): boolean {
  return fingerprint.every(([prime, powers]) => powers.has(Number(modulus % prime)));
}

/** RFC 7518 §3.3. */
const minModulusBits = 2048;
/** The cost of a verification grows with the square of the length; longer keys are not in use. */
const maxModulusBits = 8192;
/** FIPS 186-5 §5.1: e is odd and at least 65537. 31 bits are the most that all libraries take. */
const minExponent = 65_537n;
const maxExponent = 2n ** 31n - 1n;

function toInteger(base64url: string): bigint {
  const hex = Buffer.from(base64url, 'base64url').toString('hex');
  return hex === '' ? 0n : BigInt(`0x${hex}`);
}

/** Printed only if it is short: the decimal digits of a number of 190 KB take half a second. */
function describeExponent(exponent: bigint): string {
  const bits = exponent.toString(2).length;
  return bits > 80 ? `has ${bits} bits` : `is ${exponent}`;
}

/** The length of a modulus of a JWK. */
function findRsaBits(n: string): number {
  return toInteger(n).toString(2).length;
}

/** What makes an RSA public key too costly or too large for libraries. It is odd, not weak. */
function findRsaExcess({ n = '', e = '' }: Readonly<Record<string, string>>): string | undefined {
  const bits = findRsaBits(n);
  if (bits > maxModulusBits) return `its modulus has ${bits} bits, ${maxModulusBits} are allowed`;
  const exponent = toInteger(e);
  if (exponent <= maxExponent) return undefined;
  return `its exponent ${describeExponent(exponent)}, ${minExponent} is usual`;
}

/** What is wrong with an RSA public key, given by its JWK members, or undefined. */
function findRsaWeakness(n: string, e: string): string | undefined {
  const modulus = toInteger(n);
  const bits = modulus.toString(2).length;
  if (bits < minModulusBits) return `its modulus has ${bits} bits, ${minModulusBits} are needed`;
  const exponent = toInteger(e);
  if (exponent < minExponent || exponent % 2n === 0n) {
    return `its exponent ${describeExponent(exponent)}, ${minExponent} is usual`;
  }
  if (modulus % 2n === 0n) return 'its modulus is even';
  return hasRocaFingerprint(modulus) ? 'its modulus can be factored (CVE-2017-15361)' : undefined;
}
