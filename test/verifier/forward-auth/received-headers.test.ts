import { describe, expect, it } from 'vitest';
import { clientAddress, headerValues } from '../../../verifier/forward-auth/received-headers.ts';

describe('received headers', () => {
  const raw = ['Authorization', 'Bearer a', 'X-Real-IP', '192.0.2.1', 'AUTHORIZATION', 'Bearer b'];

  it('are found in any case, every one of them', () => {
    expect(headerValues(raw, 'authorization')).toEqual(['Bearer a', 'Bearer b']);
    expect(headerValues(raw, 'x-real-ip')).toEqual(['192.0.2.1']);
  });

  it('are not found under an alias, nor in a value', () => {
    const others = ['X_Real_IP', '192.0.2.1', 'X.Real.IP', '192.0.2.2', 'A', 'x-real-ip', 'b', 'c'];
    expect(headerValues(others, 'x-real-ip')).toEqual([]);
  });
});

describe("the client's address", () => {
  it.each([
    [['192.0.2.1'], '192.0.2.1'],
    [['2001:db8::1'], '2001:db8::1'],
  ])('is %j', (values, expected) => {
    expect(clientAddress(values)).toBe(expected);
  });

  it.each([
    [[]],
    [['']],
    [['192.0.2.1', '192.0.2.1']],
    [['192.0.2.1, 198.51.100.1']],
    [['198.51.100.1,192.0.2.1']],
    [['192.0.2.1:4711']],
    [['[2001:db8::1]']],
    [['unknown']],
    [['0300.0.2.1']],
    [['192.0.2.1/24']],
    [[' 192.0.2.1']],
  ])('is not known from %j', (values) => {
    expect(clientAddress(values)).toBeUndefined();
  });
});
