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
export function findEd25519Weakness(x: string): string | undefined {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== keyBytes) return undefined;
  const number = BigInt(`0x${Buffer.from([...bytes].toReversed()).toString('hex')}`);
  const y = number & (2n ** 255n - 1n);
  if (y >= p) return 'its y coordinate is not below the prime of the curve (RFC 8032 §5.1.3)';
  return hasSmallOrder(y)
    ? 'its point has a small order, so signatures can be forged for it'
    : undefined;
}
