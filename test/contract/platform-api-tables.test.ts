import { describe, expect, it } from 'vitest';
import { platformApiKeys, probeKey } from '../../contract/platform-api-tables.ts';
import { deriveProviderClientId } from '../../core/client/provider-client-id.ts';
import {
  formatApiKeyValue,
  formatId,
  readApiKeyId,
} from '../../core/credential/credential-value.ts';

/** `StringLike` of IAM: `*` is any text. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replaceAll(/[.:/]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(text);
}

describe('the keys that a platform API reads', () => {
  it('have the forms of the ids that look-ups ask for', () => {
    const keyId = formatId('apiKey', Buffer.alloc(16, 7));
    expect(readApiKeyId(formatApiKeyValue(keyId, Buffer.alloc(32, 7)))).toBe(keyId);
    expect(matches(platformApiKeys.apiKeys, keyId)).toBe(true);
    const issuer = 'https://login.example.net/tenant-a';
    expect(matches(platformApiKeys.clients, deriveProviderClientId(issuer, 'app'))).toBe(true);
    expect(matches(platformApiKeys.identityProviders, issuer)).toBe(true);
  });

  it('do not include the key of the start check', () => {
    for (const pattern of Object.values(platformApiKeys)) {
      expect(matches(pattern, probeKey)).toBe(false);
    }
  });
});
