import { UnavailableError } from '../errors.ts';

/** An invalid DER signature from KMS. There is no signature to send. */
export class EcdsaSignatureError extends UnavailableError {
  override readonly name = 'EcdsaSignatureError';
}

/** Bytes of one coordinate, so of R and of S (RFC 7518 §3.4). */
const coordinateBytes = { ES256: 32, ES384: 48 } as const;

export type EcdsaAlg = keyof typeof coordinateBytes;

const sequenceTag = 0x30;
const integerTag = 0x02;
/** Above this a DER length takes several bytes; the longest signature here has 102. */
const maxShortLength = 0x7f;

interface Element {
  readonly content: Uint8Array;
  readonly rest: Uint8Array;
}

function readElement(bytes: Uint8Array, tag: number): Element {
  const length = bytes[1];
  if (bytes[0] !== tag || length === undefined || length > maxShortLength) {
    throw new EcdsaSignatureError(`expected a DER element with tag ${tag} and a short length`);
  }
  const end = 2 + length;
  if (bytes.length < end) throw new EcdsaSignatureError('the DER element is cut off');
  return { content: bytes.subarray(2, end), rest: bytes.subarray(end) };
}

function magnitudeOf(integer: Uint8Array): Uint8Array {
  const [first, second] = integer;
  if (first === undefined) throw new EcdsaSignatureError('a DER integer is empty');
  if (first >= 0x80) throw new EcdsaSignatureError('a DER integer is negative');
  if (first !== 0) return integer;
  if (second === undefined) throw new EcdsaSignatureError('a DER integer is zero');
  if (second < 0x80) throw new EcdsaSignatureError('a DER integer is longer than it must be');
  return integer.subarray(1);
}

/**
 * Converts the DER signature that KMS returns to the fixed-width R‖S of JWS (RFC 7518 §3.4).
 *
 * @throws {EcdsaSignatureError} if the bytes are not the one DER form of two positive integers.
 */
export function ecdsaSignatureFromDer(der: Uint8Array, alg: EcdsaAlg): Uint8Array {
  const sequence = readElement(der, sequenceTag);
  const r = readElement(sequence.content, integerTag);
  const s = readElement(r.rest, integerTag);
  if (sequence.rest.length > 0 || s.rest.length > 0) {
    throw new EcdsaSignatureError('there are bytes after the DER signature');
  }
  const width = coordinateBytes[alg];
  const signature = new Uint8Array(2 * width);
  for (const [index, integer] of [r.content, s.content].entries()) {
    const magnitude = magnitudeOf(integer);
    if (magnitude.length > width) throw new EcdsaSignatureError('a DER integer is too large');
    signature.set(magnitude, (index + 1) * width - magnitude.length);
  }
  return signature;
}
