import { hash, timingSafeEqual } from 'node:crypto';

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

/** 256 bits cannot be guessed, so one fast hash is enough to store it. */
export const secretBytes = 32;

/** 128 bits: never collides, RFC 7519 §4.1.7 for `jti`. */
export const idBytes = 16;

const checksumBytes = 4;
const checksumLength = /* @__PURE__ */ base62Length(checksumBytes);

/** Prefixes let a person, a log filter and a secret scanner see what a value is. */
export const prefixes = {
  client: 'client_',
  clientSecret: 'cs_',
  secret: 'secret_',
  apiKey: 'key_',
  apiKeyValue: 'ak_',
  subnet: 'subnet_',
  registration: 'idp_',
  import: 'import_',
} as const;

export type IdKind = 'client' | 'secret' | 'apiKey' | 'subnet' | 'registration' | 'import';

/** An id such as `client_4fWq…`: a prefix and 22 base62 characters of 128 random bits. */
export function formatId(kind: IdKind, random: Uint8Array): string {
  if (random.length !== idBytes) throw new RangeError(`an id takes ${idBytes} random bytes`);
  return prefixes[kind] + encodeBase62(random);
}

/** Of CRC-32, the one of zip and PNG (ISO-HDLC), with its bits in reverse. */
const polynomial = 0xedb88320;

/**
 * The same as `crc32` of node:zlib, which takes 2 ms of a function's start to load. Texts are so
 * short that a table would not pay.
 */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return ~crc >>> 0;
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(checksumBytes);
  bytes.writeUInt32BE(crc32(text));
  return encodeBase62(bytes);
}

/** A client secret: `cs_`, 43 characters of 256 random bits, 6 of CRC-32 over all before. */
export function formatClientSecret(random: Uint8Array): string {
  if (random.length !== secretBytes) {
    throw new RangeError(`a client secret takes ${secretBytes} random bytes`);
  }
  const body = prefixes.clientSecret + encodeBase62(random);
  return body + checksum(body);
}

/** An API key's value: `ak_`, the 22 characters of its id, `_`, 43 of secret, 6 of CRC-32. */
export function formatApiKeyValue(keyId: string, random: Uint8Array): string {
  if (random.length !== secretBytes) {
    throw new RangeError(`an API key takes ${secretBytes} random bytes`);
  }
  const body = `${prefixes.apiKeyValue}${keyId.slice(prefixes.apiKey.length)}_${encodeBase62(random)}`;
  return body + checksum(body);
}

const idPattern = `[0-9A-Za-z]{${base62Length(idBytes)}}`;
/** The token function reads neither. */
const formats = /* @__PURE__ */ (() => {
  const secret = `[0-9A-Za-z]{${base62Length(secretBytes) + checksumLength}}`;
  return {
    clientSecret: new RegExp(`^${prefixes.clientSecret}${secret}$`),
    apiKey: new RegExp(`^${prefixes.apiKeyValue}(${idPattern})_${secret}$`),
  };
})();

function hasChecksum(value: string): boolean {
  return value.endsWith(checksum(value.slice(0, -checksumLength)));
}

/** Whether a value has the form and the checksum of a client secret. It may still be wrong. */
export function looksLikeClientSecret(value: string): boolean {
  return formats.clientSecret.test(value) && hasChecksum(value);
}

/** The key id embedded in an API key's value, or undefined if form or checksum are wrong. */
export function readApiKeyId(value: string): string | undefined {
  const id = formats.apiKey.exec(value)?.[1];
  return id !== undefined && hasChecksum(value) ? prefixes.apiKey + id : undefined;
}

/** Whether a bearer credential is meant as an API key, even if it is malformed. */
export function isApiKeyShaped(value: string): boolean {
  return value.startsWith(prefixes.apiKeyValue);
}

const idFormat = new RegExp(`^${idPattern}$`);

export function isId(kind: IdKind, value: string): boolean {
  const prefix = prefixes[kind];
  return value.startsWith(prefix) && idFormat.test(value.slice(prefix.length));
}

/** Each stored hash begins with the format's name, so that hashes can migrate. */
const sha256Prefix = 'sha256$';

/** The hash that no value has: 32 zero bytes. Comparing with it costs as much as with any other. */
export const impossibleHash = 'sha256$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/**
 * The stored hash of a generated secret: `sha256$` and 43 base64url characters. It is fast on
 * purpose: the values have 256 random bits, so stretching would only let callers spend our CPU
 * time.
 */
export function hashSecret(value: string): string {
  return sha256Prefix + hash('sha256', value, 'base64url');
}

/** Compares two hashes in constant time. A stored hash of unknown format never matches. */
export function equalsHash(hash: string, storedHash: string): boolean {
  const actual = Buffer.from(hash);
  const expected = Buffer.from(storedHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
