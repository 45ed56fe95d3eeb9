import { maxFormParameters, maxTokenFormBytes } from '../../contract/limits.ts';
import { OAuthError } from '../oauth-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns the text, or undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const encoded = /[+%]/;

/**
 * Decodes one name or value of `application/x-www-form-urlencoded` (RFC 6749 Appendix B): `+` is a
 * space, `%` needs two hex digits, and the result must be UTF-8.
 *
 * @returns undefined if the text is not so encoded.
 */
export function decodeFormValue(text: string): string | undefined {
  if (!encoded.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The values of each parameter, in order; also those of unknown ones. */
export type Form = ReadonlyMap<string, readonly string[]>;

const mediaType = 'application/x-www-form-urlencoded';
/**
 * Requires that the content type is a form (RFC 6749 §4.4.2). Its parameters are ignored: the media
 * type has none (https://www.iana.org/assignments/media-types/application/x-www-form-urlencoded),
 * and a `charset` changes nothing, because each value that the endpoint accepts is ASCII.
 *
 * @param contentTypes each `Content-Type` header of the request.
 */
export function assertFormContentType(contentTypes: readonly string[]): void {
  const [contentType, ...others] = contentTypes;
  const [type] = contentType?.split(';') ?? [];
  if (type?.trim().toLowerCase() !== mediaType || others.length > 0) {
    throw new OAuthError('content_type');
  }
}

function decodeParameter(segment: string): readonly [name: string, value: string] {
  const end = segment.indexOf('=');
  const name = decodeFormValue(end < 0 ? segment : segment.slice(0, end));
  const value = decodeFormValue(end < 0 ? '' : segment.slice(end + 1));
  if (name === undefined || value === undefined) throw new OAuthError('body_encoding');
  return [name, value];
}

/** Reads a form strictly. Its size is checked before it is decoded. */
export function parseForm(body: Uint8Array): Form {
  if (body.length > maxTokenFormBytes) throw new OAuthError('body_too_large');
  const text = decodeUtf8(body);
  if (text === undefined) throw new OAuthError('body_encoding');
  const segments = text.split('&').filter((segment) => segment !== '');
  if (segments.length > maxFormParameters) throw new OAuthError('too_many_parameters');
  const form = new Map<string, readonly string[]>();
  for (const [name, value] of segments.map(decodeParameter)) {
    form.set(name, [...(form.get(name) ?? []), value]);
  }
  return form;
}
