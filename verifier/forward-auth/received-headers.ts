import { parseIpAddress } from '../../core/network/ip-address.ts';

/**
 * Every value of a header, in the order received.
 *
 * @param rawHeaders alternating names and values, as in node:http.
 * @param name in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    // Most names differ in length, which is cheap to compare.
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] ?? '');
    }
  }
  return values;
}

/**
 * The client's address from the header that the operator named. The header must occur once and hold
 * one address: a list or a repeated header may contain text of the caller, and is ignored.
 */
export function clientAddress(values: readonly string[]): string | undefined {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return undefined;
  return parseIpAddress(value) === undefined ? undefined : value;
}
