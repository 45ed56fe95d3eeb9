import { describe, expect, it } from 'vitest';
import { namingSegments, readRequiredScopes } from '../../../verifier/forward-auth/handler.ts';

const api = 'https://api.example.com';

describe('the scopes that the path of the check names', () => {
  it.each([
    ['/verify/messaging:view', ['messaging:view']],
    ['/verify/messaging:view,calls:view', ['messaging:view', 'calls:view']],
    ['/verify/-', []],
    ['/verify/-/..', []],
    // Envoy appends the original path, Caddy the original query: both are the caller's text.
    ['/verify/messaging:view/messages/1', ['messaging:view']],
    ['/verify/messaging:view/../-', ['messaging:view']],
    ['/verify/messaging:view/%2e%2e/-', ['messaging:view']],
    ['/verify/messaging:view//verify/-', ['messaging:view']],
    ['/verify/messaging:view?scope=-', ['messaging:view']],
    ['/verify/messaging:view?/verify/-', ['messaging:view']],
    ['/verify/messaging:view/?a=b', ['messaging:view']],
    ['/verify/orders%2Fread', ['orders/read']],
    ['/verify/orders%2fread,calls:view/orders/x', ['orders/read', 'calls:view']],
    ['/verify/https%3A%2F%2Fapi.example.com%2Fmessages.read/..', [`${api}/messages.read`]],
    ['/verify/%6Frders,a%2Cb', ['orders', 'a,b']],
    ['/verify/a.b_c-d:e.f_g-h', ['a.b_c-d:e.f_g-h']],
  ])('%s', (target, scopes) => {
    expect(readRequiredScopes(target)).toEqual(scopes);
  });

  it.each([
    '',
    '/',
    '/verify',
    '/verify/',
    '/verify//messaging:view',
    '//verify/-',
    '/Verify/-',
    '/verify/messaging',
    '/verify/messaging:',
    '/verify/:view',
    '/verify/messaging:view,',
    '/verify/,messaging:view',
    '/verify/messaging:view,,calls:view',
    '/verify/messaging:view,-',
    '/verify/-,-',
    '/verify/%2d',
    '/verify/%2d,calls:view',
    '/verify/orders/read',
    '/verify/https:/api.example.com/messages.read',
    '/verify/orders%2Fread%20x',
    '/verify/orders%2',
    '/verify/orders%ff',
    '/verify/orders%22',
    `/verify/${'a'.repeat(1400)}%2F`,
    '/verify/messaging:view;a=b',
    '/verify/messaging:view#-',
    '/verify/Messaging:View',
    '/verify/messaging:view calls:view',
    '/verify/messaging:view:all',
    '/verify/messaging:*',
    '/verify/__proto__',
    'verify/-',
    'http://127.0.0.1:9100/verify/-',
    '*',
    '?/verify/-',
  ])('are missing in %j, so there is no access', (target) => {
    expect(readRequiredScopes(target)).toBeUndefined();
  });

  it('are all that the log shows of a path', () => {
    expect(namingSegments('/verify/messaging:view/orders/secret?key=secret')).toBe(
      '/verify/messaging:view',
    );
    expect(namingSegments(`/verify/${'a'.repeat(1000)}`)).toHaveLength(200);
  });
});
