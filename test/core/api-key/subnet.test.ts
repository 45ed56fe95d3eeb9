import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptsSource,
  formatCidr,
  formatNetmask,
  parseCidr,
  parseSubnet,
} from '../../../core/api-key/subnet.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc
  .array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 })
  .map((parts) => parts.map((part) => part.toString(16)).join(':'));

describe('reading a subnet', () => {
  it.each([
    ['203.0.113.0', '255.255.255.0', '203.0.113.0/24'],
    ['203.0.113.77', '255.255.255.0', '203.0.113.0/24'],
    ['203.0.113.77', '24', '203.0.113.0/24'],
    ['203.0.113.77', '/25', '203.0.113.0/25'],
    ['203.0.113.77', '31', '203.0.113.76/31'],
    ['203.0.113.77', '32', '203.0.113.77/32'],
    ['::ffff:203.0.113.77', '/120', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '255.255.255.0', '203.0.113.0/24'],
    ['2001:DB8:0:0:1::9', '64', '2001:db8::/64'],
    ['2001:db8::9', '128', '2001:db8::9/128'],
    ['2001:db8::9', 'ffff:ffff::', '2001:db8::/32'],
  ])('%s with %s is %s', (address, netmask, expected) => {
    expect(formatCidr(parseSubnet(address, netmask))).toBe(expected);
  });

  it.each([
    ['010.0.0.1', '8', 'address: received "010.0.0.1"; allowed: an IPv4 or IPv6 address'],
    ['0x0a.0.0.1', '8', 'address: received "0x0a.0.0.1"'],
    ['10.1', '8', 'address: received "10.1"'],
    ['167772161', '8', 'address: received "167772161"'],
    ['fe80::1%eth0', '64', 'address: received "fe80::1%eth0"'],
    ['::10.0.0.1', '128', 'address: received "::10.0.0.1"'],
    ['', '8', 'address: received ""'],
    [
      '10.0.0.0',
      '255.0.255.0',
      'netmask: received "255.0.255.0", whose one bits are not contiguous',
    ],
    ['10.0.0.0', '0', 'netmask: received "0", which is every address'],
    ['10.0.0.0', '0.0.0.0', 'netmask: received "0.0.0.0", which is every address'],
    ['::', '::', 'netmask: received "::", which is every address'],
    ['::ffff:10.0.0.1', '96', 'netmask: received "96", which is every address'],
    ['::ffff:10.0.0.1', '64', 'netmask: received "64" for the IPv4-mapped address'],
    ['10.0.0.0', '33', 'netmask: received "33" for 10.0.0.0; allowed: at most /32'],
    ['10.0.0.0', 'ffff::', 'netmask: received "ffff::" for 10.0.0.0; allowed: at most /32'],
    ['2001:db8::', '255.255.0.0', 'netmask: received "255.255.0.0" for 2001:db8::'],
    ['10.0.0.0', 'wide', 'netmask: received "wide"; allowed: a netmask such as 255.255.255.0'],
    ['10.0.0.0', '-1', 'netmask: received "-1"'],
  ])('%s with %s is refused', (address, netmask, message) => {
    expect(() => parseSubnet(address, netmask)).toThrow(message);
  });

  it('reads a single address as a block of one', () => {
    expect(formatCidr(parseCidr('203.0.113.9'))).toBe('203.0.113.9/32');
    expect(formatCidr(parseCidr('2001:db8::9'))).toBe('2001:db8::9/128');
  });

  it('gives netmask and prefix length back for each other', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 1, max: 32 }), (address, length) => {
        const subnet = parseSubnet(address, String(length));
        expect(subnet.prefixLength).toBe(length);
        expect(parseSubnet(subnet.address, formatNetmask(subnet))).toEqual(subnet);
      }),
    );
    fc.assert(
      fc.property(ipv6, fc.integer({ min: 1, max: 128 }), (address, length) => {
        const subnet = parseSubnet(address, String(length));
        expect(parseSubnet(subnet.address, formatNetmask(subnet))).toEqual(subnet);
      }),
    );
  });
});

describe('matching a source', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.76/31', '203.0.113.77', true],
    ['203.0.113.76/31', '203.0.113.78', false],
    ['203.0.113.76/32', '203.0.113.77', false],
    ['10.0.0.0/8', '::ffff:10.9.9.9', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::9/128', '2001:db8::9', true],
    ['8000::/1', '203.0.113.9', false],
    ['203.0.113.0/24', '2001:db8::1', false],
    ['10.0.0.0/8', '010.0.0.1', false],
    ['10.0.0.0/8', '10.1', false],
    ['10.0.0.0/8', '167772161', false],
    ['10.0.0.0/8', '10.0.0.1, 10.0.0.2', false],
    ['10.0.0.0/8', '', false],
  ])('%s and %s: %s', (cidr, source, expected) => {
    expect(acceptsSource([parseCidr(cidr)], source)).toBe(expected);
  });

  it('accepts every source if the list is empty', () => {
    expect(acceptsSource([], '203.0.113.1')).toBe(true);
  });

  it('accepts from a list what any of its subnets has', () => {
    const list = [parseCidr('10.0.0.0/8'), parseCidr('10.1.0.0/16'), parseCidr('2001:db8::/32')];
    expect(acceptsSource(list, '10.1.2.3')).toBe(true);
    expect(acceptsSource(list, '2001:db8::5')).toBe(true);
    expect(acceptsSource(list, '11.0.0.1')).toBe(false);
  });

  it('finds no source in a stored subnet that cannot be read', () => {
    expect(acceptsSource([{ address: 'nonsense', prefixLength: 8 }], '10.0.0.1')).toBe(false);
    expect(acceptsSource([{ address: '10.0.0.0', prefixLength: 0 }], '10.0.0.1')).toBe(false);
  });

  it('agrees with arithmetic on 32-bit numbers', () => {
    const number = (text: string) => text.split('.').reduce((n, part) => n * 256 + Number(part), 0);
    fc.assert(
      fc.property(ipv4, ipv4, fc.integer({ min: 1, max: 32 }), (network, source, length) => {
        const block = 2 ** (32 - length);
        const expected = Math.floor(number(network) / block) === Math.floor(number(source) / block);
        expect(acceptsSource([parseSubnet(network, String(length))], source)).toBe(expected);
      }),
    );
  });
});
