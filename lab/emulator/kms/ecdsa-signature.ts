import { createECDH, type KeyObject, randomBytes } from 'node:crypto';

/** A NIST curve (FIPS 186-5; SEC 2 §2.4.2, §2.5.1). */
interface Curve {
  /** OpenSSL's name. */
  readonly name: string;
  /** Octets of a scalar and of a coordinate. */
  readonly bytes: number;
  /** Order of the base point. */
  readonly order: bigint;
}

const curves: ReadonlyMap<string, Curve> = new Map([
  [
    'P-256',
    {
      name: 'prime256v1',
      bytes: 32,
      order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    },
  ],
  [
    'P-384',
    {
      name: 'secp384r1',
      bytes: 48,
      order:
        0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    },
  ],
]);

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

function modulo(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}

/** Inverse by Fermat's little theorem: the order is prime. */
function invert(value: bigint, order: bigint): bigint {
  let result = 1n;
  let base = modulo(value, order);
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % order;
    base = (base * base) % order;
  }
  return result;
}

/** DER of an unsigned INTEGER: no leading zero octets but the one that keeps it positive. */
function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, content.length]), content]);
}

/** `Ecdsa-Sig-Value` (RFC 3279 §2.2.3); both curves stay below 128 octets, so one length octet. */
function derSignature(r: bigint, s: bigint): Buffer {
  const content = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

function randomScalar(curve: Curve): bigint {
  // 64 bits more than the order make the remainder's bias negligible (FIPS 186-5 appendix A.3.1).
  return modulo(toNumber(randomBytes(curve.bytes + 8)), curve.order - 1n) + 1n;
}

/**
 * ECDSA of a digest (FIPS 186-5 §6.4.1), as DER. node:crypto has only sign-the-message, which
 * would hash the digest again; its ECDH gives the one curve operation that is needed. Not constant
 * time: only for keys of the local run.
 */
export function signEcdsa(privateKey: KeyObject, hashed: Uint8Array): Uint8Array {
  const jwk = privateKey.export({ format: 'jwk' });
  const curve = curves.get(jwk.crv ?? '');
  if (curve === undefined || jwk.d === undefined) throw new TypeError('not a P-256 or P-384 key');
  const { order } = curve;
  const secret = toNumber(Buffer.from(jwk.d, 'base64url'));
  const digest = toNumber(hashed.subarray(0, curve.bytes));
  for (;;) {
    const nonce = randomScalar(curve);
    const ecdh = createECDH(curve.name);
    ecdh.setPrivateKey(toBytes(nonce, curve.bytes));
    const x = ecdh.getPublicKey().subarray(1, 1 + curve.bytes);
    const r = modulo(toNumber(x), order);
    const s = modulo(invert(nonce, order) * (digest + r * secret), order);
    if (r !== 0n && s !== 0n) return derSignature(r, s);
  }
}
