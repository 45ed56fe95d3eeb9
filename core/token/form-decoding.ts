const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns the text, or undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes one name or value of `application/x-www-form-urlencoded` (RFC 6749 Appendix B): `+` is a
 * space, `%` needs two hex digits, and the result must be UTF-8.
 *
 * @returns undefined if the text is not so encoded.
 */
export function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
