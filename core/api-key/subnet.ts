import ipaddr from 'ipaddr.js';
import { requiredSubnetPrefix } from '../../contract/required-subnet.ts';
import { InputError } from '../errors.ts';
import {
  addressBits,
  formatIpAddress,
  type IpAddress,
  parseIpAddress,
} from '../network/ip-address.ts';
import type { ApiKeySubnet } from './api-key.ts';

/** A block of addresses: what an {@link ApiKeySubnet} names. */
export type Subnet = Pick<ApiKeySubnet, 'address' | 'prefixLength'>;

const mappedBits = 96;
const addressHelp = 'an IPv4 or IPv6 address, e.g. 203.0.113.0 or 2001:db8::';
const netmaskHelp = 'a netmask such as 255.255.255.0, or a prefix length such as 24 or /24';

function refusePart(field: 'address' | 'netmask', problem: string): never {
  throw new InputError(problem, { field, label: field });
}

function readAddress(text: string): IpAddress {
  const address = parseIpAddress(text);
  return (
    address ?? refusePart('address', `received ${JSON.stringify(text)}; allowed: ${addressHelp}`)
  );
}

function readNetmask(text: string): number {
  if (/^\/?\d{1,3}$/.test(text)) return Number(text.replace('/', ''));
  const mask = ipaddr.IPv4.isValidFourPartDecimal(text)
    ? ipaddr.IPv4.parse(text)
    : text.includes(':') && ipaddr.IPv6.isValid(text)
      ? ipaddr.IPv6.parse(text)
      : undefined;
  if (mask === undefined) {
    return refusePart('netmask', `received ${JSON.stringify(text)}; allowed: ${netmaskHelp}`);
  }
  return (
    mask.prefixLengthFromSubnetMask() ??
    refusePart(
      'netmask',
      `received ${JSON.stringify(text)}, whose one bits are not contiguous; allowed: ${netmaskHelp}`,
    )
  );
}

/** `::ffff:10.0.0.0/104` means 10.0.0.0/8; a mask written for IPv4 already means IPv4. */
function familyPrefix(text: string, address: IpAddress, netmask: string, length: number): number {
  const mapped = text.includes(':') && addressBits(address) === 32;
  if (!mapped || netmask.includes('.')) return length;
  if (length < mappedBits) {
    refusePart(
      'netmask',
      `received ${JSON.stringify(netmask)} for the IPv4-mapped address ${JSON.stringify(text)}; allowed: /${mappedBits + 1} to /128, or the IPv4 address itself`,
    );
  }
  return length - mappedBits;
}

function checkPrefix(length: number, address: IpAddress, netmask: string): void {
  if (length === 0) {
    refusePart(
      'netmask',
      `received ${JSON.stringify(netmask)}, which is every address; allowed: /1 or longer (a key without subnets accepts every source)`,
    );
  }
  const isMaskOfOtherFamily =
    (netmask.includes('.') && addressBits(address) === 128) ||
    (netmask.includes(':') && addressBits(address) === 32);
  if (length > addressBits(address) || isMaskOfOtherFamily) {
    refusePart(
      'netmask',
      `received ${JSON.stringify(netmask)} for ${formatIpAddress(address)}; allowed: at most /${addressBits(address)}, in the address's own family`,
    );
  }
}

function networkOf(address: IpAddress, length: number): IpAddress {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, length - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return ipaddr.fromByteArray(bytes);
}

/**
 * Reads an address and a netmask (`255.255.255.0`, `ffff:ffff::`, `24` or `/24`). Bits of the
 * address beyond the netmask become zero. An IPv4-mapped address becomes IPv4.
 *
 * @throws {InputError} for an invalid address or netmask, a mask with holes, or /0.
 */
export function parseSubnet(address: string, netmask: string): Subnet {
  const parsed = readAddress(address);
  const length = familyPrefix(address, parsed, netmask, readNetmask(netmask));
  checkPrefix(length, parsed, netmask);
  return { address: formatIpAddress(networkOf(parsed, length)), prefixLength: length };
}

/**
 * Reads `203.0.113.0/24`, `203.0.113.0/255.255.255.0`, or a single address.
 *
 * @throws {InputError} as {@link parseSubnet} does.
 */
export function parseCidr(text: string): Subnet {
  const slash = text.indexOf('/');
  if (slash !== -1) return parseSubnet(text.slice(0, slash), text.slice(slash + 1));
  const address = readAddress(text);
  return { address: formatIpAddress(address), prefixLength: addressBits(address) };
}

/** The netmask of a subnet in its family's own text: `255.255.255.0`, `ffff:ffff::`. */
export function formatNetmask(subnet: Subnet): string {
  return subnet.address.includes(':')
    ? ipaddr.IPv6.subnetMaskFromPrefixLength(subnet.prefixLength).toString()
    : ipaddr.IPv4.subnetMaskFromPrefixLength(subnet.prefixLength).toString();
}

export function formatCidr(subnet: Subnet): string {
  return `${subnet.address}/${subnet.prefixLength}`;
}

/** Whether a subnet meets the limit that a key needs one: wider ones would ask for nothing. */
export function meetsRequirement({ address, prefixLength }: Subnet): boolean {
  const { ipv4, ipv6 } = requiredSubnetPrefix;
  return prefixLength >= (address.includes(':') ? ipv6 : ipv4);
}

/** An IPv4-mapped source is matched as IPv4; what cannot be parsed matches nothing. */
function matchesSubnet(source: IpAddress, subnet: Subnet): boolean {
  const network = parseIpAddress(subnet.address);
  if (network === undefined || subnet.prefixLength < 1) return false;
  if (network instanceof ipaddr.IPv4) {
    return source instanceof ipaddr.IPv4 && source.match(network, subnet.prefixLength);
  }
  return source instanceof ipaddr.IPv6 && source.match(network, subnet.prefixLength);
}

/**
 * Whether every address of one block lies in the other. Two blocks are either nested or disjoint,
 * so the first address and the prefix length decide.
 */
export function containsSubnet(outer: Subnet, inner: Subnet): boolean {
  return outer.prefixLength <= inner.prefixLength && acceptsSource([outer], inner.address);
}

/** Whether an API key's list accepts a source, as text. An empty list accepts every source. */
export function acceptsSource(subnets: readonly Subnet[], source: string): boolean {
  if (subnets.length === 0) return true;
  const address = parseIpAddress(source);
  return address !== undefined && subnets.some((subnet) => matchesSubnet(address, subnet));
}
