import { describe, expect, it } from 'vitest';
import { callerHeaders } from '../../contract/caller-headers.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import { CallerHeaderError, callerHeaderValues } from '../../forward-auth/caller-headers.ts';

const token: VerifiedCredential = {
  credential: 'access_token',
  issuer: 'https://auth.example.com',
  subject: 'client_1',
  clientId: 'client_1',
  scopes: ['messaging:view', 'calls:view'],
  serviceTrunkGroup: 'tg-1',
  audiences: ['https://api.example.com'],
  tokenId: 'jti-1',
  expiresAt: 1_800_000_000,
};
const apiKey: VerifiedCredential = {
  credential: 'api_key',
  keyId: 'key_1',
  serviceTrunkGroup: 'tg-1',
};

describe('the headers that say who calls', () => {
  it('are these for a token', () => {
    expect(callerHeaderValues(token)).toEqual({
      'X-Auth-Credential': 'access_token',
      'X-Auth-Client-Id': 'client_1',
      'X-Auth-Scope': 'messaging:view calls:view',
      'X-Auth-Service-Trunk-Group': 'tg-1',
      'X-Auth-Issuer': 'https://auth.example.com',
      'X-Auth-Key-Id': '',
    });
  });

  it('are these for an API key', () => {
    expect(callerHeaderValues(apiKey)).toEqual({
      'X-Auth-Credential': 'api_key',
      'X-Auth-Client-Id': '',
      'X-Auth-Scope': '',
      'X-Auth-Service-Trunk-Group': 'tg-1',
      'X-Auth-Issuer': '',
      'X-Auth-Key-Id': 'key_1',
    });
  });

  it.each([token, apiKey])('are all present for each kind of credential', (verified) => {
    expect(Object.keys(callerHeaderValues(verified)).sort()).toEqual(
      Object.values(callerHeaders).sort(),
    );
  });

  it.each(['tg\r\nX-Auth-Client-Id: admin', 'tg\u0000', ' tg', 'tg ', 'grüppe', 'tg\t1'])(
    'cannot carry %j: there is no access then, and the message does not repeat it',
    (serviceTrunkGroup) => {
      const act = () => callerHeaderValues({ ...apiKey, serviceTrunkGroup });
      expect(act).toThrow(CallerHeaderError);
      expect(act).toThrow(/^X-Auth-Service-Trunk-Group cannot carry its value$/);
    },
  );
});
