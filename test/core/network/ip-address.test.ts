import { describe, expect, it } from 'vitest';
import { isPublicAddress, parseIpAddress } from '../../../core/network/ip-address.ts';

function isPublic(text: string): boolean | undefined {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : isPublicAddress(address);
}

describe('an address of the public internet', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is one', (text) => {
    expect(isPublic(text)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '2002:a9fe:a9fe::',
    '2001:0:a9fe::',
    '2001:db8::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
  ])('%s is not public', (text) => {
    expect(isPublic(text)).toBe(false);
  });

  it.each(['::127.0.0.1', '127.1', '0x7f.0.0.1', '017700000001', '2130706433', 'localhost', ''])(
    '%s is no address at all',
    (text) => {
      expect(isPublic(text)).toBeUndefined();
    },
  );
});
