import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../../verifier/forward-auth/handler.ts';

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
