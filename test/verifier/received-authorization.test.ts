import { describe, expect, it } from 'vitest';
import { BearerRefusal } from '../../core/verifier/bearer-refusal.ts';
import { authorizationOf, headerValues } from '../../verifier/received-authorization.ts';

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

describe('the Authorization headers of a request', () => {
  const two = ['Authorization', 'Bearer a', 'AUTHORIZATION', 'Bearer b'];

  it.each([
    ['all of rawHeaders', { rawHeaders: two, headers: { authorization: 'Bearer a' } }, 2],
    ['headers, if the host has no rawHeaders', { headers: { authorization: 'Bearer a' } }, 1],
    ['headers, if rawHeaders is empty', { rawHeaders: [], headers: { authorization: 'a' } }, 1],
    ['both of a list', { rawHeaders: [], headers: { authorization: ['a', 'b'] } }, 2],
    ['none', { rawHeaders: ['Host', 'a'], headers: {} }, 0],
    ['none of a request without headers', {}, 0],
  ])('are %s', (_, request, count) => {
    expect(authorizationOf(request)).toHaveLength(count);
  });

  const many = (count: number) => [
    'Authorization',
    'Bearer a',
    ...Array.from({ length: count - 1 }, () => ['X', 'y']).flat(),
  ];

  it.each([
    ['the default limit of Node', 1000, {}],
    ['the default limit of Node, set', 1000, { server: { maxHeadersCount: null } }],
    ["the server's own limit", 50, { server: { maxHeadersCount: 50 } }],
  ])('are refused if there are as many headers as %s', (_, count, socket) => {
    expect(authorizationOf({ rawHeaders: many(count - 1), socket })).toEqual(['Bearer a']);
    expect(() => authorizationOf({ rawHeaders: many(count), socket })).toThrow(BearerRefusal);
  });

  it('are read if the server has no limit', () => {
    const socket = { server: { maxHeadersCount: 0 } };
    expect(authorizationOf({ rawHeaders: many(5000), socket })).toEqual(['Bearer a']);
  });
});
