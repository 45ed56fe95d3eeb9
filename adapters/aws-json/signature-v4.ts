import { createHmac, hash } from 'node:crypto';
import type { AwsCredentials } from './credentials.ts';

/** What a signature covers besides the body. */
export interface SignedRequest {
  readonly region: string;
  /** Signing name of the service, e.g. `kms`. */
  readonly service: string;
  /** Value of the Host header. */
  readonly host: string;
  /** Path as it is sent; `/` for both services, unless an endpoint of one's own has a path. */
  readonly path: string;
  readonly contentType: string;
  /** `X-Amz-Target`: the service's API and the operation. */
  readonly target: string;
  readonly body: string;
  /** Milliseconds since the epoch, corrected by the service's clock. */
  readonly now: number;
}

const algorithm = 'AWS4-HMAC-SHA256';

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20261120T093000Z`. */
function formatTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
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
 * derived key is kept for its day, since four of the five HMACs go into it.
 */
export class SignatureV4 {
  #scope = '';
  #secret = '';
  #key: Buffer = Buffer.alloc(0);

  /** @returns the request's headers, names and values in turn, ready to be sent. */
  sign(request: SignedRequest, credentials: AwsCredentials): string[] {
    const { host, contentType, target, body } = request;
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const time = formatTime(request.now);
    const scope = `${time.slice(0, 8)}/${request.region}/${request.service}/aws4_request`;
    const headers = [
      ['content-type', contentType],
      ['host', host],
      ['x-amz-date', time],
      ...(sessionToken === undefined ? [] : [['x-amz-security-token', sessionToken]]),
      ['x-amz-target', target],
    ] as const;
    const names = headers.map(([name]) => name).join(';');
    const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
    const canonical = `POST\n${escapePath(request.path)}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
    const text = `${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = hmac(this.#signingKey(secretAccessKey, scope), text).toString('hex');
    return [
      ...headers.flat(),
      'content-length',
      String(Buffer.byteLength(body)),
      'authorization',
      `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    ];
  }

  #signingKey(secret: string, scope: string): Buffer {
    if (scope !== this.#scope || secret !== this.#secret) {
      let key: string | Buffer = `AWS4${secret}`;
      for (const part of scope.split('/')) key = hmac(key, part);
      this.#key = Buffer.from(key);
      this.#scope = scope;
      this.#secret = secret;
    }
    return this.#key;
  }
}
