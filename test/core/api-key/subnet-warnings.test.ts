import { describe, expect, it } from 'vitest';
import { parseCidr } from '../../../core/api-key/subnet.ts';
import { describeCut, findSubnetWarnings } from '../../../core/api-key/subnet-warnings.ts';

const warningsOf = (...cidrs: readonly string[]) => findSubnetWarnings(cidrs.map(parseCidr));
const every = (family: string) =>
  `The subnets together are every ${family} address: they limit nothing.`;

describe('what a person is told about the subnets of an API key', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['none', [], ['Every address on the internet can use the key.']],
    ['one public network', ['203.0.113.0/24'], []],
    ['both halves', ['0.0.0.0/1', '128.0.0.0/1'], [every('IPv4')]],
    ['half and two quarters', ['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/2'], [every('IPv4')]],
    ['one half, twice covered', ['0.0.0.0/1', '11.0.0.0/8', '64.0.0.0/2'], []],
    ['both halves of IPv6', ['::/1', '8000::/1', '203.0.113.0/24'], [every('IPv6')]],
  ])('%s', (_, cidrs, warnings) => {
    expect(warningsOf(...cidrs)).toEqual(warnings);
  });

  it.each([
    '10.1.0.0/16',
    '172.16.0.0/12',
    '192.168.1.0/24',
    '127.0.0.1/32',
    '100.64.0.0/10',
    'fd00::/8',
  ])('the private range %s', (cidr) => {
    expect(warningsOf('203.0.113.0/24', cidr)).toEqual([
      expect.stringContaining(`${cidr} is a private range`),
    ]);
  });

  it.each([
    ['203.0.113.7/24', '203.0.113.7/24 was stored as the network 203.0.113.0/24.'],
    ['203.0.113.0/24', undefined],
    ['203.0.113.7', undefined],
    ['2001:DB8::/32', undefined],
  ])('bits that were cut of %s', (typed, said) => {
    expect(describeCut(typed, parseCidr(typed))).toBe(said);
  });
});
