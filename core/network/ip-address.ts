import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is held as IPv4. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The only IPv6 text with a dotted part that is read. Others, such as `::10.0.0.1` (RFC 4291
 * §2.5.5.1, deprecated), mean IPv4 to one parser and IPv6 to another.
 */
const dottedMapped = /^(?:::|(?:0{1,4}:){5})ffff:[\d.]+$/i;

/** The library throws for all other text, which takes twenty times as long as an address. */
const dotted = /^[\d.]+$/;

/** RFC 4291 §2.4: addresses that are routed on the internet are allocated only from this block. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * The only parser of IP addresses. It accepts dotted decimal IPv4 and RFC 4291 text of IPv6. It
 * refuses every form that another parser could read as another address: octal, hexadecimal and
 * short forms, and zones.
 *
 * @returns undefined if the text is not such an address.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (dotted.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return ipaddr.IPv4.parse(text);
  }
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  if (text.includes('.') && !dottedMapped.test(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Bits of an address of this family. */
export function addressBits(address: IpAddress): 32 | 128 {
  return address.kind() === 'ipv4' ? 32 : 128;
}

/** Canonical text: dotted decimal, or RFC 5952 for IPv6. */
export function formatIpAddress(address: IpAddress): string {
  return address.toString();
}

export function isLoopbackAddress(address: IpAddress): boolean {
  return address.range() === 'loopback';
}

/**
 * Whether an address belongs to the public internet. A URL from outside must not name a private,
 * link-local, carrier, reserved, tunnelled or translated address.
 */
export function isPublicAddress(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}
