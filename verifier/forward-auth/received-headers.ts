import { parseIpAddress } from '../../core/network/ip-address.ts';

/**
 * The client's address from the header that the operator named. The header must occur once and hold
 * one address: a list or a repeated header may contain text of the caller, and is ignored.
 */
export function clientAddress(values: readonly string[]): string | undefined {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return undefined;
  return parseIpAddress(value) === undefined ? undefined : value;
}
