import { randomBytes } from 'node:crypto';

/** An access key of AWS's kind: requests carry the id and are signed with the secret. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** RFC 4648 §6: the characters that access key ids of AWS consist of. */
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** AWS's ids have 20 characters, its secrets 40. */
const idLength = 20;
const idPrefix = 'LOCAL';
const secretBytes = 30;

/** Creates a random access key. It has AWS's lengths, and no prefix that AWS uses. */
export function createAccessKey(): AccessKey {
  const id = [...randomBytes(idLength - idPrefix.length)].map((byte) => base32[byte % 32]);
  return {
    accessKeyId: `${idPrefix}${id.join('')}`,
    secretAccessKey: randomBytes(secretBytes).toString('base64url'),
  };
}
