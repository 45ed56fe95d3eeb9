import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import {
  authenticationFailureThrottle,
  maxAudienceLength,
  maxDomainNameLength,
  maxScopeBytes,
  maxScopesPerClient,
  maxServiceTrunkGroupLength,
  maxSigningInputBytes,
  maxTokenBytes,
} from '../../../contract/bounds.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import type { Client } from '../../../core/client/client.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { FailureThrottle } from '../../../core/token/failure-throttle.ts';
import {
  issueToken,
  type TokenPorts,
  type TokenSettings,
} from '../../../core/token/issue-token.ts';
import type { TokenLogFields } from '../../../core/token/token-values.ts';
import { clientIdOf, makeClient, secretValueOf } from '../../../lab/support/clients.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { asyncRefusal } from '../../support/refusal.ts';
import { settings } from '../../support/token-settings.ts';

const now = 1_800_000_000;
const own = makeSigningKey('ES256');

function setUp(client: Client | undefined, overrides: Partial<TokenPorts> = {}) {
  const log: TokenLogFields = {};
  const mocks = {
    findClient: vi.fn(async () => client),
    recordUse: vi.fn(async () => {}),
    listSigningKeys: vi.fn(async () => [own.key]),
    sign: vi.fn(signWithKeys(own)),
  };
  const ports: TokenPorts = {
    clients: { findClient: mocks.findClient },
    uses: { recordUse: mocks.recordUse },
    listSigningKeys: mocks.listSigningKeys,
    sign: mocks.sign,
    failures: new FailureThrottle(authenticationFailureThrottle),
    ...overrides,
  };
  let serial = 0;
  const issue = (
    body = 'grant_type=client_credentials',
    secret = secretValueOf(1),
    given: TokenSettings = settings,
  ) => {
    serial += 1;
    return issueToken(
      {
        contentTypes: ['application/x-www-form-urlencoded'],
        authorizations: [`Basic ${Buffer.from(`${clientIdOf(1)}:${secret}`).toString('base64')}`],
        queryNames: [],
        body: Buffer.from(body),
      },
      ports,
      given,
      { now, random: new Uint8Array(16).fill(serial), source: '192.0.2.1', log },
    );
  };
  return { log, mocks, issue };
}

describe('an issued token', () => {
  it.each(algs)('%s: verifies with an independent library', async (alg) => {
    const other = makeSigningKey(alg);
    const { issue } = setUp(makeClient(), {
      listSigningKeys: async () => [other.key],
      sign: signWithKeys(other),
    });
    const { access_token } = await issue();
    await jwtVerify(access_token, await importJWK({ ...other.key.publicJwk }, alg), {
      issuer: settings.issuer,
      audience: settings.defaultAudience,
      typ: 'at+jwt',
      algorithms: [alg],
      requiredClaims: ['jti', 'exp', 'sub', 'iat', 'client_id'],
      currentDate: new Date(now * 1000),
    });
  });

  it('lives no longer than the deployment allows', async () => {
    const { issue } = setUp(makeClient({ tokenLifetime: 1_000_000 }));
    const { access_token, expires_in } = await issue();
    const { exp = 0, iat = 0 } = decodeJwt(access_token);
    expect(expires_in).toBe(settings.maxTokenLifetime);
    expect(exp - iat).toBe(expires_in);
  });

  it.each(algs)('%s: fits what KMS signs with the longest values of all', async (alg) => {
    const scopes = Array.from({ length: maxScopesPerClient }, (_, index) =>
      `${index}`.padStart(maxScopeBytes / maxScopesPerClient - 1, 's'),
    );
    const longest = makeClient({
      scopes,
      audiences: [`urn:${'a'.repeat(maxAudienceLength - 4)}`],
      serviceTrunkGroup: 'g'.repeat(maxServiceTrunkGroupLength),
    });
    expect(scopes.join(' ')).toHaveLength(maxScopeBytes - 1);
    const signer = makeSigningKey(alg);
    const { issue } = setUp(longest, {
      listSigningKeys: async () => [signer.key],
      sign: signWithKeys(signer),
    });
    const { access_token } = await issue(undefined, undefined, {
      ...settings,
      issuer: `https://${'d'.repeat(maxDomainNameLength)}`,
    });
    expect(access_token.lastIndexOf('.')).toBeLessThanOrEqual(maxSigningInputBytes);
    expect(access_token.length).toBeLessThanOrEqual(maxTokenBytes);
  });
});

describe('a token that is not issued', () => {
  it('still has the log fields that were known when KMS failed', async () => {
    const { issue, log } = setUp(makeClient(), {
      sign: async () => Promise.reject(new UnavailableError('throttled')),
    });
    await expect(issue()).rejects.toThrow('throttled');
    expect(log).toMatchObject({ clientId: clientIdOf(1), scope: expect.any(String) });
    expect(log.kid).toBeUndefined();
  });
});

describe('noting that a secret was used', () => {
  const today = '2027-01-15';

  it('happens on the first token of a UTC day', async () => {
    const { issue, mocks } = setUp(makeClient());
    await issue();
    expect(mocks.recordUse).toHaveBeenCalledExactlyOnceWith(
      clientIdOf(1),
      expect.stringMatching(/^secret_/),
      today,
      { signal: undefined },
    );
  });

  it.each([
    [today, 0, 'not_due'],
    ['2027-01-14', 1, 'recorded'],
  ])('if it was last used on %s: %d times', async (lastUsedOn, times, secretUse) => {
    const client = makeClient();
    const secrets = client.secrets.map((secret) => ({ ...secret, lastUsedOn }));
    const { issue, mocks, log } = setUp({ ...client, secrets });
    await issue();
    expect(mocks.recordUse).toHaveBeenCalledTimes(times);
    expect(log.secretUse).toBe(secretUse);
  });

  it.each([
    ['failed', async () => Promise.reject(new UnavailableError('down'))],
    ['pending', async () => new Promise<void>(() => {})],
  ])('never holds up a token: %s', async (secretUse, recordUse) => {
    const { issue, log } = setUp(makeClient(), { uses: { recordUse } });
    expect((await issue()).token_type).toBe('Bearer');
    expect(log.secretUse).toBe(secretUse);
  });

  it.each([
    [today, []],
    ['2027-01-14', [[clientIdOf(1), undefined, today, { signal: undefined }]]],
  ])('is for an assertion that of the client, last on %s', async (lastUsedOn, calls) => {
    const client = { ...makeClient(), lastUsedOn };
    const secret = { secretId: 'assertion', hash: '' };
    const parameters = { scopes: undefined, resource: undefined };
    const workload = { client, secret, latestExpiry: 2e9, parameters };
    const { issue, mocks } = setUp(client, { federation: async () => ({ found: workload }) });
    await issue('grant_type=client_credentials&client_assertion=x');
    expect(mocks.recordUse.mock.calls).toEqual(calls);
  });

  it('does not happen if no token is granted', async () => {
    const { issue, mocks } = setUp(makeClient());
    await asyncRefusal(() => issue('grant_type=client_credentials&scope=other'));
    expect(mocks.recordUse).not.toHaveBeenCalled();
  });
});
