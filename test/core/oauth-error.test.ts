import { describe, expect, it } from 'vitest';
import { OAuthError, type OAuthErrorReason, oauthErrorTexts } from '../../core/oauth-error.ts';

describe('OAuth errors', () => {
  it.each(Object.keys(oauthErrorTexts) as OAuthErrorReason[])(
    '%s: has a code, a status and a text that RFC 6749 §5.2 allows',
    (reason) => {
      const error = new OAuthError(reason);
      expect(error.description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(error.status).toBe(error.code === 'invalid_client' ? 401 : 400);
      expect(error.code).toMatch(
        /^(invalid_request|invalid_client|unsupported_grant_type|invalid_scope|invalid_target)$/,
      );
    },
  );

  it.each([
    'malformed_credentials',
    'authentication_scheme',
    'unknown_client',
    'wrong_secret',
    'no_secret',
    'secret_expired',
    'secret_disabled',
    'client_disabled',
    'provider_client',
  ] as const)('%s: cannot be told from a wrong secret', (reason) => {
    const { code, status, description } = new OAuthError(reason);
    const wrong = new OAuthError('wrong_secret');
    expect({ code, status, description }).toEqual({
      code: wrong.code,
      status: wrong.status,
      description: wrong.description,
    });
  });
});
