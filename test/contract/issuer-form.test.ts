import { describe, expect, it } from 'vitest';
import { findIssuerProblem } from '../../contract/issuer-form.ts';

const auth = 'https://auth.example.com';

describe('an issuer', () => {
  it.each([
    auth,
    `${auth}:8443`,
    'https://a1b2.execute-api.us-west-2.amazonaws.com/prod',
    'http://localhost:8080',
    'http://127.0.0.1:9001',
    'http://[::1]:9001',
  ])('can be %s', (issuer) => {
    expect(findIssuerProblem(issuer)).toBeUndefined();
  });

  it.each([
    ['with a slash at the end', `${auth}/`, auth],
    ['without a scheme', 'auth.example.com', auth],
    ['with a port and without a scheme', 'auth.example.com:8443', `${auth}:8443`],
    ['with a blank', ` ${auth} `, auth],
    ['in other case', 'https://AUTH.example.com', auth],
    ['with the default port', `${auth}:443`, auth],
    ['without TLS', 'http://auth.example.com', auth],
    ['with a query', `${auth}/?a=b`, auth],
    ['with a fragment', `${auth}#a`, auth],
    ['of a stage, with a slash at the end', `${auth}/prod/`, `${auth}/prod`],
    ['with a password', 'https://a:b@auth.example.com', auth],
    ['that is empty', '', auth],
    ['that is missing', undefined, auth],
  ])('%s is refused, with what is right', (_, issuer, right) => {
    expect(findIssuerProblem(issuer)).toBe(
      `the issuer exactly as in the discovery document, "${right}"`,
    );
  });
});
