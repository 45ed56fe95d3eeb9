import { describe, expect, it } from 'vitest';
import {
  discoveryUrls,
  parseDiscoveryDocument,
} from '../../../core/identity-provider/discovery-document.ts';
import { parseProviderUrl } from '../../../core/identity-provider/provider-url.ts';

const good = {
  issuer: 'https://idp.example.com/tenant',
  jwks_uri: 'https://idp.example.com/tenant/keys',
  id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none', 'RS256', 'ES256'],
};

describe('a discovery document', () => {
  it('gives issuer, key set address and the algorithms that are supported', () => {
    expect(parseDiscoveryDocument(good)).toEqual({
      issuer: good.issuer,
      jwksUri: good.jwks_uri,
      algorithms: ['RS256', 'ES256'],
    });
  });

  it('keeps an issuer with a trailing slash as it is', () => {
    const issuer = 'https://tenant.example.com/';
    expect(parseDiscoveryDocument({ ...good, issuer }).issuer).toBe(issuer);
  });

  it.each<[string, unknown, string]>([
    ['is no object', [], 'the discovery document is not usable'],
    ['has no issuer', { ...good, issuer: undefined }, 'issuer is missing or of the wrong type'],
    ['has a list of issuers', { ...good, issuer: [good.issuer] }, 'issuer is missing or of the'],
    ['has no jwks_uri', { ...good, jwks_uri: undefined }, 'jwks_uri is missing or of the wrong'],
    ['has an http issuer', { ...good, issuer: 'http://idp.example.com' }, 'an absolute https URL'],
    ['has an issuer with query', { ...good, issuer: `${good.issuer}?a` }, 'without query'],
    ['has an issuer with fragment', { ...good, issuer: `${good.issuer}#a` }, 'without fragment'],
    ...['$(id)', ';id', '&id', '|id', '`id`', '<a', '(a)', "'a", '!a', '*', '{a}'].map(
      (text): [string, unknown, string] => [
        `has an issuer with ${text}`,
        { ...good, issuer: `${good.issuer}/${text}` },
        'issuer of the discovery document: received',
      ],
    ),
    ['has an issuer in capitals', { ...good, issuer: 'https://IDP.example.com' }, 'canonical form'],
    ['has an issuer with :443', { ...good, issuer: 'https://idp.example.com:443' }, 'canonical'],
    ['has a template as issuer', { ...good, issuer: 'https://x.example/{tenantid}' }, 'canonical'],
    ['keeps its keys on http', { ...good, jwks_uri: 'http://idp.example.com/keys' }, 'jwks_uri of'],
    [
      'keeps its keys inside',
      { ...good, jwks_uri: 'https://169.254.169.254/k' },
      'public internet',
    ],
    [
      'signs only with symmetric keys',
      { ...good, id_token_signing_alg_values_supported: ['HS256', 'none'] },
      'the provider signs with HS256, none; allowed: RS256',
    ],
  ])('is refused if it %s', (_, document, message) => {
    expect(() => parseDiscoveryDocument(document)).toThrow(message);
  });

  it.each([
    ['https://idp.example.com', 'https://idp.example.com/.well-known/openid-configuration'],
    ['https://idp.example.com/', 'https://idp.example.com/.well-known/openid-configuration'],
    ['https://idp.example.com/a/b', 'https://idp.example.com/a/b/.well-known/openid-configuration'],
    [
      'https://idp.example.com/a/b',
      'https://idp.example.com/.well-known/oauth-authorization-server/a/b',
    ],
  ])('of %s stands at %s', (issuer, url) => {
    expect(discoveryUrls(issuer)).toContain(url);
  });
});

describe('a URL of a provider', () => {
  it.each(['https://idp.example.com/x?y=z', 'https://idp.example.com:8443/', 'https://8.8.8.8/'])(
    '%s is allowed',
    (url) => {
      expect(parseProviderUrl(url, 'URL').href).toBe(url);
    },
  );

  it.each([
    ['http://idp.example.com/', 'an absolute https URL in plain ASCII'],
    ['file:///etc/passwd', 'an absolute https URL in plain ASCII'],
    ['HTTPS://idp.example.com/', 'an absolute https URL in plain ASCII'],
    ['https:\\\\idp.example.com/', 'an absolute https URL in plain ASCII'],
    ['https://idp.example.com/\n', 'an absolute https URL in plain ASCII'],
    [' https://idp.example.com/', 'an absolute https URL in plain ASCII'],
    ['https://ıdp.example.com/', 'an absolute https URL in plain ASCII'],
    ['https://', 'an absolute https URL in plain ASCII'],
    [`https://idp.example.com/${'a'.repeat(1024)}`, 'at most 1024 characters'],
    ['https://user@idp.example.com/', 'a URL without user name and password'],
    ['https://user:pass@idp.example.com/', 'a URL without user name and password'],
    ['https://idp.example.com/#x', 'a URL without fragment'],
    ['https://idp.example.com:22/', 'port 443 or 8443'],
    ['https://idp.example.com:6379/', 'port 443 or 8443'],
    ['https://localhost:4443/', 'port 443 or 8443'],
    ['https://169.254.169.254/latest/meta-data', 'a host on the public internet'],
    ['https://[fd00:ec2::254]/', 'a host on the public internet'],
    ['https://[::1]/', 'a host on the public internet'],
    ['https://[::ffff:127.0.0.1]/', 'a host on the public internet'],
    ['https://127.0.0.1/', 'a host on the public internet'],
    ['https://0.0.0.0/', 'a host on the public internet'],
    ['https://10.0.0.1/', 'a host on the public internet'],
    ['https://2130706433/', 'a host on the public internet'],
    ['https://0x7f.1/', 'a host on the public internet'],
    ['https://0177.0.0.1/', 'a host on the public internet'],
  ])('%s is refused', (url, allowed) => {
    expect(() => parseProviderUrl(url, 'URL')).toThrow(`; allowed: ${allowed}`);
  });

  it('may be on loopback, at any port, if that is allowed, and https even then', () => {
    const options = { allowLoopback: true };
    expect(parseProviderUrl('https://localhost:4443/', 'URL', options).port).toBe('4443');
    expect(parseProviderUrl('https://127.0.0.1:4443/', 'URL', options).port).toBe('4443');
    expect(() => parseProviderUrl('http://localhost:4443/', 'URL', options)).toThrow('https');
    expect(() => parseProviderUrl('https://10.0.0.1/', 'URL', options)).toThrow('public internet');
    expect(() => parseProviderUrl('https://a.example:4443/', 'URL', options)).toThrow('port 443');
  });
});
