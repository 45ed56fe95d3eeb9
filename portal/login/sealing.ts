import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';

/** 256-bit keys. A value is sealed with the first, and opened with any of them. */
export type SealingKeys = readonly [Uint8Array, ...Uint8Array[]];

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Longer texts do not come from the portal. */
const maxLength = 4096;

/** Only the portal makes these values, so they cannot expand without limit. This is a second wall. */
const maxOpenedBytes = 64 * 1024;

function checkKeys(keys: SealingKeys): void {
  const wrong = keys.find(({ byteLength }) => byteLength !== keyBytes);
  if (wrong === undefined) return;
  throw new RangeError(
    `a sealing key: received ${wrong.byteLength} bytes; allowed: ${keyBytes} bytes`,
  );
}

/**
 * Seals a value, so that only the portal can read or change it.
 *
 * @param purpose is bound to the value: a sealed session cannot be opened as anything else.
 */
function seal(keys: SealingKeys, purpose: string, value: unknown): string {
  checkKeys(keys);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keys[0], nonce).setAAD(Buffer.from(purpose));
  const plain = deflateRawSync(JSON.stringify(value));
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

function openWith(key: Uint8Array, purpose: string, bytes: Buffer): unknown {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-tagBytes));
  const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  const text = Buffer.concat([plain, decipher.final()]);
  return JSON.parse(inflateRawSync(text, { maxOutputLength: maxOpenedBytes }).toString('utf8'));
}

/** @returns undefined if the text was not sealed with one of the keys for this purpose. */
export function unseal(keys: SealingKeys, purpose: string, text: string): unknown {
  checkKeys(keys);
  const bytes = Buffer.from(text, 'base64url');
  if (text.length > maxLength || bytes.byteLength <= nonceBytes + tagBytes) return undefined;
  // Node ignores characters that are not base64url. One value must have one text.
  if (bytes.toString('base64url') !== text) return undefined;
  for (const key of keys) {
    try {
      return openWith(key, purpose, bytes);
    } catch {
      // Another key, or a changed value.
    }
  }
  return undefined;
}

/** A record that is sealed as a list: the names of its members would make a third of a cookie. */
export function sealedRecord<const Entries extends v.ObjectEntries>(
  purpose: string,
  entries: Entries,
) {
  type Value = v.InferOutput<v.ObjectSchema<Entries, undefined>>;
  const names = Object.keys(entries);
  return {
    seal: (keys: SealingKeys, value: Value): string => {
      const members: Readonly<Record<string, unknown>> = value;
      return seal(
        keys,
        purpose,
        names.map((name) => members[name] ?? null),
      );
    },
    /** @returns undefined for anything but such a record of this release. */
    unseal: (keys: SealingKeys, text: string): Value | undefined => {
      const list = unseal(keys, purpose, text);
      if (!Array.isArray(list) || list.length !== names.length) return undefined;
      const members = names.map((name, index): [string, unknown] => [
        name,
        list[index] ?? undefined,
      ]);
      const found = v.safeParse(v.object(entries), Object.fromEntries(members));
      return found.success ? found.output : undefined;
    },
  };
}
