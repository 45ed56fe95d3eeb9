import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import * as credentialValue from '../../../core/credential/credential-value.ts';
import { TooManyFailuresError } from '../../../core/errors.ts';
import { OAuthError } from '../../../core/oauth-error.ts';
import { FailureThrottle } from '../../../core/token/failure-throttle.ts';
import { issueToken } from '../../../core/token/issue-token.ts';
import type { TokenLogFields } from '../../../core/token/token-values.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { asyncRefusal } from '../../support/refusal.ts';
import { settings } from '../../support/token-settings.ts';

vi.mock(import('../../../core/credential/credential-value.ts'), async (original) => {
  const module = await original();
  return { ...module, equalsHash: vi.fn(module.equalsHash), hashSecret: vi.fn(module.hashSecret) };
});

const now = 1_000_000;
const good = secretValueOf(1);
const signer = makeSigningKey('ES256');

const places = ['the header', 'the body'] as const;

function authenticate(
  stored: Client | undefined,
  clientSecret = good,
  place: (typeof places)[number] = 'the header',
) {
  const isPosted = place === 'the body';
  const posted = isPosted ? `&client_id=${clientIdOf(1)}&client_secret=${clientSecret}` : '';
  const findClient = vi.fn(async () => stored);
  const log: TokenLogFields = {};
  const ports = {
    clients: { findClient },
    uses: { recordUse: async () => {} },
    listSigningKeys: async () => [signer.key],
    sign: signWithKeys(signer),
    failures: new FailureThrottle({ window: 60, distinctSecrets: 2, repetitions: 2, capacity: 9 }),
  };
  const run = () =>
    issueToken(
      {
        contentTypes: ['application/x-www-form-urlencoded'],
        authorizations: isPosted ? [] : [basic(clientIdOf(1), clientSecret)],
        queryNames: [],
        body: Buffer.from(`grant_type=client_credentials${posted}`),
      },
      ports,
      { ...settings, clientSecretPost: isPosted },
      { now, random: new Uint8Array(16), source: '192.0.2.1', log },
    );
  return { run, log, findClient };
}

const provider = {
  issuer: 'https://idp.example',
  registrationId: 'idp_1',
  externalClientId: 'external',
};

const refused = [
  ['an unknown client', undefined, 'unknown_client'],
  ['a wrong secret', makeClient({ secrets: [makeSecret(secretValueOf(2))] }), 'wrong_secret'],
  ['a client without secrets', makeClient({ secrets: [] }), 'no_secret'],
  ['a disabled client', makeClient({ stops: personStop }), 'client_disabled'],
  ['a client under a provider', makeClient({ provider }), 'provider_client'],
  [
    'a client under a provider without secrets',
    makeClient({ provider, secrets: [] }),
    'provider_client',
  ],
  [
    'a secret that expires now',
    makeClient({ secrets: [makeSecret(good, { expiresAt: now })] }),
    'secret_expired',
  ],
  [
    'a secret that expired a second ago',
    makeClient({ secrets: [makeSecret(good, { expiresAt: now - 1 })] }),
    'secret_expired',
  ],
  [
    'a disabled secret',
    makeClient({ secrets: [makeSecret(good, { stops: personStop })] }),
    'secret_disabled',
  ],
  [
    'a stored hash of an unknown format',
    makeClient({ secrets: [{ ...makeSecret(good), hash: 'md5$x' }] }),
    'wrong_secret',
  ],
  [
    'the impossible hash',
    makeClient({ secrets: [{ ...makeSecret(good), hash: credentialValue.impossibleHash }] }),
    'wrong_secret',
  ],
] as const;

describe.each(places)('client authentication with the secret in %s', (place) => {
  it.each(refused)('refuses %s at the same cost as any other', async (_name, stored, reason) => {
    vi.mocked(credentialValue.equalsHash).mockClear();
    vi.mocked(credentialValue.hashSecret).mockClear();
    const { run, findClient } = authenticate(stored, good, place);
    expect(await asyncRefusal(run)).toBe(reason);
    expect(findClient).toHaveBeenCalledTimes(1);
    expect(credentialValue.hashSecret).toHaveBeenCalledTimes(2);
    expect(credentialValue.equalsHash).toHaveBeenCalledTimes(8);
  });

  it.each([1, 2, 6, 20])('accepts each of %d active secrets', async (count) => {
    const values = Array.from({ length: count }, (_, index) => secretValueOf(index + 10));
    const stored = makeClient({ secrets: values.map((value) => makeSecret(value)) });
    for (const [index, value] of values.entries()) {
      const { run, log } = authenticate(stored, value, place);
      await run();
      expect(log).toMatchObject({
        clientId: stored.clientId,
        secretId: stored.secrets[index]?.secretId,
      });
      expect(log.method).toBe(place === 'the body' ? 'client_secret_post' : undefined);
      expect(log.secretExpiresAt).toBeUndefined();
    }
  });

  it('does not cut a secret short', async () => {
    const long = 'x'.repeat(80);
    const stored = makeClient({ secrets: [makeSecret(long)] });
    expect(await asyncRefusal(authenticate(stored, long.slice(0, 72)).run)).toBe('wrong_secret');
    expect(await asyncRefusal(authenticate(stored, long).run)).toBeUndefined();
  });

  it.each(refused)('counts %s as a failure', async (_name, stored) => {
    const { run, findClient } = authenticate(stored, good, place);
    for (const _ of [1, 2]) await expect(run()).rejects.toThrow(OAuthError);
    await expect(run()).rejects.toThrow(TooManyFailuresError);
    expect(findClient).toHaveBeenCalledTimes(2);
  });
});
