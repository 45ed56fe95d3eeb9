import { isUtf8 } from 'node:buffer';
import { maxTokenBytes } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { type BearerRefusal, refuseFor, refuseLength } from './bearer-refusal.ts';
import { parseJsonObject } from './json-object.ts';

/** A decoded JWS. Do not trust its content before the signature is verified. */
interface UnverifiedJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** What the signature covers: `header.payload` as received (RFC 7515 §5.2). */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

type Part = 'header' | 'payload' | 'signature';

/** The part itself belongs to a credential and is not shown. */
function refusePart(name: Part, expected: string): BearerRefusal {
  return refuseFor('token_malformed', name, 'another form', expected);
}

/** Decodes base64url in its one canonical form: no padding, space, other alphabet, stray bits. */
function decodeBase64url(name: Part, part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw refusePart(name, 'canonical base64url');
  return bytes;
}

function decodeJsonObject(name: Part, part: string): JsonObject {
  const bytes = decodeBase64url(name, part);
  const value = isUtf8(bytes) ? parseJsonObject(bytes.toString('utf8')) : undefined;
  if (value === undefined)
    throw refusePart(name, 'a JSON object in UTF-8 without repeated members');
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
  if (token.length > maxTokenBytes) throw refuseLength(token.length, maxTokenBytes);
  const headerEnd = token.indexOf('.');
  const payloadEnd = token.indexOf('.', headerEnd + 1);
  if (headerEnd === -1 || payloadEnd === -1 || token.includes('.', payloadEnd + 1)) {
    const expected = '3: header, payload and signature';
    throw refuseFor('token_malformed', 'number of parts', token.split('.').length, expected);
  }
  return {
    header: decodeJsonObject('header', token.slice(0, headerEnd)),
    payload: decodeJsonObject('payload', token.slice(headerEnd + 1, payloadEnd)),
    signature: decodeBase64url('signature', token.slice(payloadEnd + 1)),
    signingInput: Buffer.from(token.slice(0, payloadEnd), 'latin1'),
  };
}
