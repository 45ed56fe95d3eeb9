const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Digits that a number of this many bytes needs: 43 for 32 bytes, 22 for 16. */
export function base62Length(bytes: number): number {
  return Math.ceil((bytes * 8) / Math.log2(alphabet.length));
}

/** Digits that are converted at a time: as many as a number holds exactly. BigInts are slow. */
const chunkLength = 8;
const chunkRadix = BigInt(alphabet.length ** chunkLength);

function encodeChunk(value: number): string {
  let rest = value;
  let text = '';
  while (text.length < chunkLength) {
    text = alphabet.charAt(rest % alphabet.length) + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}

/** Writes bytes as one big-endian number in base 62, left-padded to a fixed width. */
export function encodeBase62(bytes: Uint8Array): string {
  const length = base62Length(bytes.length);
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = encodeChunk(Number(rest % chunkRadix)) + text;
    rest /= chunkRadix;
  }
  return text.slice(text.length - length);
}
