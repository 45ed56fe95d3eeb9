import { isUtf8 } from 'node:buffer';
import { maxTokenBytes } from '../../contract/limits.ts';
import { BearerRefusal } from './bearer-refusal.ts';
import { type JsonObject, parseJsonObject } from './json-object.ts';

/** A decoded JWS. Do not trust its content before the signature is verified. */
export interface UnverifiedJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** What the signature covers: `header.payload` as received (RFC 7515 §5.2). */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

/** Decodes base64url in its one canonical form: no padding, space, other alphabet, stray bits. */
function decodeBase64url(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new BearerRefusal('token_malformed');
  return bytes;
}

function decodeJsonObject(part: string): JsonObject {
  const bytes = decodeBase64url(part);
  const value = isUtf8(bytes) ? parseJsonObject(bytes.toString('utf8')) : undefined;
  if (value === undefined) throw new BearerRefusal('token_malformed');
  return value;
}

/**
 * Decodes a JWS in compact serialization (RFC 7515 §7.1), strictly: exactly three parts,
 * canonical base64url (§2), header and payload JSON objects in UTF-8 without repeated members.
 * Its length is checked before anything else.
 *
 * @throws {BearerRefusal}
 */
export function decodeUnverifiedJws(token: string): UnverifiedJws {
  if (token.length > maxTokenBytes) throw new BearerRefusal('token_too_long');
  const headerEnd = token.indexOf('.');
  const payloadEnd = token.indexOf('.', headerEnd + 1);
  if (headerEnd === -1 || payloadEnd === -1 || token.includes('.', payloadEnd + 1)) {
    throw new BearerRefusal('token_malformed');
  }
  return {
    header: decodeJsonObject(token.slice(0, headerEnd)),
    payload: decodeJsonObject(token.slice(headerEnd + 1, payloadEnd)),
    signature: decodeBase64url(token.slice(payloadEnd + 1)),
    signingInput: Buffer.from(token.slice(0, payloadEnd), 'latin1'),
  };
}
