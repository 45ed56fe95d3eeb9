import { describe, expect, it } from 'vitest';
import { callerHeaders } from '../../../contract/caller-headers.ts';
import type { VerifiedCredential } from '../../../core/verifier/verified-credential.ts';
import { CallerHeaderError, callerHeaderList } from '../../../verifier/forward-auth/handler.ts';

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

/** Names and values in turn, as an object. */
function valuesOf(verified: VerifiedCredential): Readonly<Record<string, string>> {
  const list = callerHeaderList(verified);
  const entries = list.flatMap((name, index) =>
    index % 2 === 0 ? [[name, list[index + 1] ?? 'missing'] as const] : [],
  );
  return Object.fromEntries(entries);
}

describe('the headers that say who calls', () => {
  it('are these for a token', () => {
    expect(valuesOf(token)).toEqual({
      'X-Auth-Credential': 'access_token',
      'X-Auth-Client-Id': 'client_1',
      'X-Auth-Scope': 'messaging:view calls:view',
      'X-Auth-Service-Trunk-Group': 'tg-1',
      'X-Auth-Issuer': 'https://auth.example.com',
      'X-Auth-Key-Id': '',
    });
  });

  it('are these for an API key', () => {
    expect(valuesOf(apiKey)).toEqual({
      'X-Auth-Credential': 'api_key',
      'X-Auth-Client-Id': '',
      'X-Auth-Scope': '',
      'X-Auth-Service-Trunk-Group': 'tg-1',
      'X-Auth-Issuer': '',
      'X-Auth-Key-Id': 'key_1',
    });
  });

  it.each([token, apiKey])('are all present for each kind of credential', (verified) => {
    expect(Object.keys(valuesOf(verified)).sort()).toEqual(Object.values(callerHeaders).sort());
  });

  it.each(['tg\r\nX-Auth-Client-Id: admin', 'tg\u0000', ' tg', 'tg ', 'grüppe', 'tg\t1'])(
    'cannot carry %j: there is no access then, and the message does not repeat it',
    (serviceTrunkGroup) => {
      const act = () => callerHeaderList({ ...apiKey, serviceTrunkGroup });
      expect(act).toThrow(CallerHeaderError);
      expect(act).toThrow(/^X-Auth-Service-Trunk-Group cannot carry its value$/);
    },
  );
});
