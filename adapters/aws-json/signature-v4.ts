import { hash } from 'node:crypto';
import { formatTime, seconds } from '../../core/time.ts';
import type { AwsCredentials } from '../credentials/credential-provider.ts';

/** The parts that a signature covers in addition to the body. */
export interface SignedRequest {
  readonly region: string;
  /** Signing name of the service, e.g. `kms`. */
  readonly service: string;
  /** Value of the Host header. */
  readonly host: string;
  /** The path as it is sent: `/` for both services, unless a configured endpoint has a path. */
  readonly path: string;
  readonly contentType: string;
  /** `X-Amz-Target`: the service's API and the operation. */
  readonly target: string;
  readonly body: string;
  /** Milliseconds since the epoch, corrected with the service's clock. */
  readonly time: number;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** Names of the headers that are signed, in their order. */
const namesWithoutToken = 'content-type;host;x-amz-date;x-amz-target';
const namesWithToken = 'content-type;host;x-amz-date;x-amz-security-token;x-amz-target';

/** Bytes of a block of SHA-256. */
const blockBytes = 64;

/** A key of HMAC-SHA-256, as the two blocks that the hashes begin with (RFC 2104 §2). */
interface HmacKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

function prepareKey(secret: Uint8Array): HmacKey {
  const block = Buffer.alloc(blockBytes);
  block.set(secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret);
  return {
    inner: Buffer.from(block.map((byte) => byte ^ 0x36)),
    outer: Buffer.from(block.map((byte) => byte ^ 0x5c)),
  };
}

/** HMAC-SHA-256 of two one-shot hashes: `createHmac` makes objects that cost more than the hashes. */
function hmac({ inner, outer }: HmacKey, text: string): Buffer {
  const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
  return hash('sha256', Buffer.concat([outer, digest]), 'buffer');
}

/** `20261120T093000Z`: ISO 8601 in its basic form. */
function formatBasicTime(milliseconds: number): string {
  return formatTime(seconds(milliseconds)).replaceAll(/[:-]/g, '');
}

/** The path of the canonical request is escaped once more than the one sent. */
function escapePath(path: string): string {
  if (path === '/') return path;
  return encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Signs JSON requests with Signature Version 4: POST, no query, and always the same headers. The
 * derived key is cached for its day, because it takes four of the five HMACs.
 */
export class SignatureV4 {
  #scope = '';
  #secret = '';
  #key: HmacKey | undefined;

  /** @returns the request's headers as alternating names and values, ready to be sent. */
  sign(request: SignedRequest, credentials: AwsCredentials): string[] {
    const { host, contentType, target, body } = request;
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const time = formatBasicTime(request.time);
    const scope = `${time.slice(0, 8)}/${request.region}/${request.service}/aws4_request`;
    const isTemporary = sessionToken !== undefined;
    const tokenLine = isTemporary ? `x-amz-security-token:${sessionToken}\n` : '';
    const names = isTemporary ? namesWithToken : namesWithoutToken;
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${tokenLine}x-amz-target:${target}\n`;
    const canonical = `POST\n${escapePath(request.path)}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
    const text = `${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = hmac(this.#signingKey(secretAccessKey, scope), text).toString('hex');
    return [
      'content-type',
      contentType,
      'host',
      host,
      'x-amz-date',
      time,
      ...(isTemporary ? ['x-amz-security-token', sessionToken] : []),
      'x-amz-target',
      target,
      'content-length',
      String(Buffer.byteLength(body)),
      'authorization',
      `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    ];
  }

  #signingKey(secret: string, scope: string): HmacKey {
    if (this.#key === undefined || scope !== this.#scope || secret !== this.#secret) {
      const first = prepareKey(Buffer.from(`AWS4${secret}`));
      this.#key = scope.split('/').reduce((key, part) => prepareKey(hmac(key, part)), first);
      this.#scope = scope;
      this.#secret = secret;
    }
    return this.#key;
  }
}
