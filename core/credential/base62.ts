const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const radix = BigInt(alphabet.length);

/** Digits that any number of so many bytes fits: 43 for 32 bytes, 22 for 16. */
export function base62Length(bytes: number): number {
  return Math.ceil((bytes * 8) / Math.log2(alphabet.length));
}

/** Writes bytes as one big-endian number in base 62, left-padded to a fixed width. */
export function encodeBase62(bytes: Uint8Array): string {
  let rest = bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  let text = '';
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % radix)) + text;
    rest /= radix;
  }
  return text.padStart(base62Length(bytes.length), '0');
}
