import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { base62Length, idBytes } from '../credential/credential-value.ts';
import type { PortOptions } from '../port.ts';

/** The parts of a token request that the caller chooses. The order of scopes is the token's. */
export interface TokenChoice {
  readonly clientId: string;
  readonly scopes: readonly string[] | undefined;
  readonly resource: string | undefined;
}

/** Both keys of the sealed token of one request. */
export interface SealedTokenKeys {
  /** Of the item in the table: 43 base64url characters. */
  readonly itemId: string;
  /** Of the cipher. */
  readonly sealingKey: Uint8Array;
}

/** What cannot be derived from the request of a token that is issued again. */
interface SealedContent {
  /** `iat`, seconds since the epoch. */
  readonly issuedAt: number;
  readonly jti: string;
  readonly signature: Uint8Array;
}

/** A new format takes new labels: an old item is then never found. */
const label = 'authorization-server sealed token 1';
const keyBytes = 32;

const cipher = 'aes-256-gcm';
/** NIST SP 800-38D §8.2.2: random nonces hold for 2^32 tokens of one secret. */
export const nonceBytes = 12;
const tagBytes = 16;
/** 48 bits of seconds outlast all calendars. */
const timeBytes = 6;
const jtiBytes = base62Length(idBytes);

/** HKDF (RFC 5869) of a secret with 256 random bits. The issuer keeps deployments apart. */
function deriveKey(secret: string, issuer: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, issuer, `${label}: ${purpose}`, keyBytes));
}

/**
 * Derives both from the client secret as the caller presents it. Anyone who does not know the
 * secret can neither tell for which client, scopes or audience an item is, nor open it.
 */
export function deriveSealedTokenKeys(
  { clientId, scopes, resource }: TokenChoice,
  secret: string,
  issuer: string,
): SealedTokenKeys {
  const request = JSON.stringify([clientId, scopes ?? null, resource ?? null]);
  return {
    itemId: createHmac('sha256', deriveKey(secret, issuer, 'item key'))
      .update(request)
      .digest('base64url'),
    sealingKey: deriveKey(secret, issuer, 'sealing key'),
  };
}

/** A full stop is in no item's key. */
function associatedData(itemId: string, context: string): Buffer {
  return Buffer.from(`${itemId}.${context}`);
}

/**
 * @param context what must be the same when the token is issued again. It is not in the item.
 * @param nonce random bytes, never the same twice.
 */
export function sealToken(
  { itemId, sealingKey }: SealedTokenKeys,
  { issuedAt, jti, signature }: SealedContent,
  context: string,
  nonce: Uint8Array,
): Uint8Array {
  const time = Buffer.alloc(timeBytes);
  time.writeUIntBE(issuedAt, 0, timeBytes);
  const sealing = createCipheriv(cipher, sealingKey, nonce);
  sealing.setAAD(associatedData(itemId, context));
  const parts = [time, Buffer.from(jti, 'latin1'), signature].map((part) => sealing.update(part));
  sealing.final();
  return Buffer.concat([nonce, ...parts, sealing.getAuthTag()]);
}

/** @returns undefined for bytes that were not sealed with these keys and this context. */
export function openToken(
  { itemId, sealingKey }: SealedTokenKeys,
  sealed: Uint8Array,
  context: string,
): SealedContent | undefined {
  const end = sealed.length - tagBytes;
  if (end <= nonceBytes + timeBytes + jtiBytes) return undefined;
  const opening = createDecipheriv(cipher, sealingKey, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAAD(associatedData(itemId, context));
  opening.setAuthTag(sealed.subarray(end));
  const content = opening.update(sealed.subarray(nonceBytes, end));
  try {
    opening.final();
  } catch {
    return undefined;
  }
  return {
    issuedAt: content.readUIntBE(0, timeBytes),
    jti: content.toString('latin1', timeBytes, timeBytes + jtiBytes),
    signature: content.subarray(timeBytes + jtiBytes),
  };
}

/** An item of the table of sealed tokens. */
export interface SealedItem {
  readonly itemId: string;
  readonly sealed: Uint8Array;
  /** From when on the table may drop it, in seconds since the epoch. */
  readonly expiresAt: number;
}

/** A read that has begun. */
type SealedTokenRead = () => Promise<Uint8Array | undefined>;

/** The table of sealed tokens. A token needs none of it, so nothing here rejects. */
export interface SealedTokenStore {
  /**
   * Begins to read an item.
   *
   * @returns waits for it, for a bounded time; undefined if there is no item, or none in time.
   */
  read(itemId: string, options?: PortOptions): SealedTokenRead;
  /** Begins to write an item. Resolves when the request need not wait any longer. */
  write(item: SealedItem, options?: PortOptions): Promise<void>;
  /** Calls that failed or came too late since the last look. */
  takeFailures(): number;
}

/** A search for a token that another instance may have signed for a request. */
export interface SharedLookup {
  readonly keys: SealedTokenKeys;
  /** Waits for the table, for a bounded time. */
  readonly read: SealedTokenRead;
}
