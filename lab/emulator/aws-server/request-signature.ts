import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** What a signature covers, as the service received it. */
interface SignedParts {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The value of a signed header, by its name in lower case. */
  readonly headerText: (name: string) => string;
  readonly signedHeaders: readonly string[];
  readonly body: Buffer;
}

/** Whose signature it is, and for what. */
interface SigningScope {
  readonly secretAccessKey: string;
  /** `20261120T093000Z`. */
  readonly time: string;
  readonly region: string;
  readonly service: string;
}

/** RFC 3986 §2.3: everything but unreserved characters is escaped. */
function escapeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Without empty and relative segments, and escaped once more than it is sent. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(escapeUri(segment));
  }
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${end}`;
}

/** Sorted by name, then by value. A separator below every character keeps `a` before `a-b`. */
function canonicalQuery(query: string): string {
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => `${escapeUri(name)}\0${escapeUri(value)}`,
  );
  return parameters.toSorted().join('&').replaceAll('\0', '=');
}

/** Spaces around a value do not count, and several are one. */
function canonicalValue(value: string): string {
  return value.trim().replaceAll(/\s+/g, ' ');
}

function canonicalRequest({ method, url, headerText, signedHeaders, body }: SignedParts): string {
  const [path = '/', query = ''] = url.split('?');
  const headers = signedHeaders.map((name) => `${name}:${canonicalValue(headerText(name))}\n`);
  return `${method}\n${canonicalPath(path)}\n${canonicalQuery(query)}\n${headers.join('')}\n${signedHeaders.join(';')}\n${hash('sha256', body)}`;
}

function hmac(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Keys derived of a secret for a day, a region and a service: four of the five HMACs. */
const derivedKeys = new Map<string, KeyObject>();

/** Callers choose the region, so the number is limited. */
const maxDerivedKeys = 50;

function derivedKey(secret: string, scope: string): KeyObject {
  const name = `${secret}/${scope}`;
  const known = derivedKeys.get(name);
  if (known !== undefined) return known;
  if (derivedKeys.size >= maxDerivedKeys) derivedKeys.clear();
  const first = createSecretKey(`AWS4${secret}`, 'utf8');
  const key = scope.split('/').reduce((last, part) => createSecretKey(hmac(last, part)), first);
  derivedKeys.set(name, key);
  return key;
}

/**
 * The signature that AWS computes for a request (Signature Version 4), in hexadecimal digits. It is
 * code of its own: the tests send it requests that the SDK signed.
 */
export function computeSignature(
  parts: SignedParts,
  { secretAccessKey, time, region, service }: SigningScope,
): string {
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonicalRequest(parts))}`;
  return hmac(derivedKey(secretAccessKey, scope), text).toString('hex');
}
