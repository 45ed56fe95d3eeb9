import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  MalformedRecordError,
  SigningKeyUnusableError,
  UnavailableError,
} from '../../../core/errors.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { tokenWorld, worldSigner } from '../../support/token-world.ts';

const headers = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

const unavailable = {
  statusCode: 503,
  headers: { ...headers, 'Retry-After': '5' },
  body: '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
};

const serverError = {
  statusCode: 500,
  headers,
  body: '{"error":"server_error","error_description":"an unexpected error occurred"}',
};

type World = ReturnType<typeof tokenWorld>;

describe('a permission that does not count yet', () => {
  it.each(['AccessDeniedException', 'UnrecognizedClientException'])(
    '%s of DynamoDB: 503 with Retry-After, as IAM knows a new role minutes later',
    async (name) => {
      const world = tokenWorld();
      world.stores.findClient.mockRejectedValue(Object.assign(new Error('no'), { name }));
      expect(await world.issue()).toEqual(unavailable);
      expect(world.reports).toMatchObject([
        { outcome: 'temporarily_unavailable', fields: { error_name: name } },
      ]);
    },
  );
});

describe('a key that an operator replaced by one that was not eligible yet', () => {
  const next = makeSigningKey('ES256', {
    state: 'next',
    publishedAt: worldNow,
    activatedAt: undefined,
  });

  /** KMS refuses the key that signed until now. */
  function setUp() {
    const world = tokenWorld();
    const lost = worldSigner.key;
    const before = [lost, next.key];
    const after = [
      { ...lost, state: 'withdrawn' as const },
      { ...next.key, state: 'current' as const, activatedAt: worldNow + 10 },
    ];
    const sign = signWithKeys(worldSigner, next);
    const refusedFrom = { time: worldNow + 10 };
    world.stores.listSigningKeys.mockImplementation(async () =>
      world.clock.now < refusedFrom.time ? before : after,
    );
    world.stores.sign.mockImplementation(async (key, ...rest) => {
      if (key.kid === lost.kid && world.clock.now >= worldNow + 10) {
        throw new SigningKeyUnusableError('disabled');
      }
      return sign(key, ...rest);
    });
    return { ...world, refusedFrom };
  }

  it('is followed at once, long before the list of keys is due', async () => {
    const world = setUp();
    await world.issue();
    world.clock.now += 10;
    const { statusCode, body } = await world.issue();
    expect(statusCode).toBe(200);
    const { access_token: token } = JSON.parse(body) as { access_token: string };
    expect(decodeProtectedHeader(token).kid).toBe(next.key.kid);
    expect(world.stores.listSigningKeys).toHaveBeenCalledTimes(2);
    expect(await world.call({ path: '/health' })).toMatchObject({ statusCode: 200 });
  });

  it('is followed by the health check, if there are no requests', async () => {
    const world = setUp();
    await world.call({ path: '/health' });
    world.clock.now += 10;
    expect(await world.call({ path: '/health' })).toMatchObject({ statusCode: 200 });
  });

  it('is followed within two seconds of its arrival if the replica was behind', async () => {
    const world = setUp();
    world.refusedFrom.time += 1;
    await world.issue();
    world.clock.now += 10;
    const statuses: number[] = [];
    for (let second = 0; second < 4; second += 1) {
      statuses.push((await world.issue()).statusCode, (await world.issue()).statusCode);
      world.clock.now += 1;
    }
    expect(statuses).toEqual([503, 503, 503, 503, 200, 200, 200, 200]);
    expect(world.stores.listSigningKeys).toHaveBeenCalledTimes(3);
  });
});

describe('a backing service that does not answer', () => {
  const down = new UnavailableError('could not read: ThrottlingException', {
    cause: Object.assign(new Error('arn:aws:dynamodb:table/clients'), {
      name: 'ThrottlingException',
    }),
  });

  it.each([
    ['the clients', (w: World) => w.stores.findClient.mockRejectedValue(down)],
    ['the key list', (w: World) => w.stores.listSigningKeys.mockRejectedValue(down)],
    ['KMS', (w: World) => w.stores.sign.mockRejectedValue(down)],
  ])('%s: 503 with Retry-After, never 401', async (_name, breakIt) => {
    const world = tokenWorld();
    breakIt(world);
    expect(await world.issue()).toEqual(unavailable);
    expect(world.reports).toMatchObject([
      {
        level: 'warn',
        outcome: 'temporarily_unavailable',
        statusCode: 503,
        fields: { client_id: clientIdOf(1), error_name: 'UnavailableError < ThrottlingException' },
      },
    ]);
  });

  it('gives each call a signal that ends it', async () => {
    const { issue, stores } = tokenWorld();
    await issue();
    const signal = expect.any(AbortSignal);
    expect(stores.findClient).toHaveBeenCalledWith(clientIdOf(1), { signal });
    expect(stores.listSigningKeys).toHaveBeenCalledWith({ signal });
    expect(stores.sign).toHaveBeenCalledWith(worldSigner.key, expect.anything(), { signal });
  });

  it('is only the key list: tokens go on until it is too old', async () => {
    const { issue, stores, clock, reports } = tokenWorld();
    expect((await issue()).statusCode).toBe(200);
    stores.listSigningKeys.mockRejectedValue(down);
    clock.now += 150;
    expect((await issue()).statusCode).toBe(200);
    clock.now += 1;
    expect(await issue()).toEqual(unavailable);
    stores.listSigningKeys.mockResolvedValue([worldSigner.key]);
    clock.now += 5;
    expect((await issue()).statusCode).toBe(200);
    const why = 'UnavailableError < ThrottlingException';
    const names = reports.map(({ fields }) => fields['key_list_error_name']);
    expect(names).toEqual([undefined, why, why, undefined]);
  });
});

describe('a signing key that cannot be relied on', () => {
  it('is not used if the published key does not verify its signature', async () => {
    const { issue, stores, reports } = tokenWorld();
    const other = makeSigningKey('ES256', { kmsKeyArn: worldSigner.key.kmsKeyArn });
    stores.sign.mockImplementation(signWithKeys(other));
    expect(await issue()).toEqual(unavailable);
    expect(reports[0]?.measures).toEqual(new Map([['UnverifiableSignatures', 1]]));
    expect(reports[0]?.fields['error_name']).toBe('UnverifiableSignatureError');
  });

  it('is not used if there is no published key of this region', async () => {
    const { issue, stores } = tokenWorld();
    stores.listSigningKeys.mockResolvedValue([{ ...worldSigner.key, regionId: 'dfw' }]);
    expect(await issue()).toEqual(unavailable);
    expect(stores.sign).not.toHaveBeenCalled();
  });

  const next = makeSigningKey('RS256', {
    state: 'next',
    activatedAt: undefined,
    provedAt: worldNow - 1_000,
  });

  function withRefusedCurrentKey(provedAt: number) {
    const world = tokenWorld();
    world.stores.listSigningKeys.mockResolvedValue([worldSigner.key, { ...next.key, provedAt }]);
    world.stores.sign.mockImplementation(async (key, input) => {
      if (key.kid === worldSigner.key.kid) throw new SigningKeyUnusableError('disabled');
      return signWithKeys(next)(key, input);
    });
    return world;
  }

  it('gives way to a key that every verifier knows', async () => {
    const { issue, reports } = withRefusedCurrentKey(worldNow - 1_000);
    const response = await issue();
    expect(response.statusCode).toBe(200);
    const { access_token } = JSON.parse(response.body) as { access_token: string };
    expect(decodeProtectedHeader(access_token).kid).toBe(next.key.kid);
    expect(reports[0]?.measures).toEqual(new Map([['SigningKeyFallbacks', 1]]));
    expect(reports[0]?.fields).toMatchObject({
      unusable_kids: [worldSigner.key.kid],
      unusable_reasons: ['disabled'],
    });
  });

  it('costs a refused call of KMS once in a while, and not with each token', async () => {
    const { issue, stores, reports, clock } = withRefusedCurrentKey(worldNow - 1_000);
    for (const _ of [1, 2, 3]) await issue();
    expect(reports.map(({ fields }) => fields['unusable_reasons'])).toEqual(
      ['', 'refused a moment ago: ', 'refused a moment ago: '].map((when) => [`${when}disabled`]),
    );
    expect(stores.sign).toHaveBeenCalledTimes(4);
    expect(reports.map(({ measures = [] }) => [...measures])).toEqual(
      [1, 2, 3].map(() => [['SigningKeyFallbacks', 1]]),
    );
    stores.sign.mockImplementation(signWithKeys(worldSigner, next));
    clock.now += 10;
    const { access_token } = JSON.parse((await issue()).body) as { access_token: string };
    expect(decodeProtectedHeader(access_token).kid).toBe(worldSigner.key.kid);
  });

  it('gives way to no key that a verifier may not know yet', async () => {
    expect(await withRefusedCurrentKey(worldNow - 999).issue()).toEqual(unavailable);
  });
});

describe('a client record that cannot be read', () => {
  it('fails that client and no other', async () => {
    const { issue, stores } = tokenWorld();
    const good = makeClient({ clientId: clientIdOf(2) });
    stores.findClient.mockImplementation(async (id) => {
      if (id === good.clientId) return good;
      throw new MalformedRecordError('client: tokenLifetime is missing');
    });
    expect(await issue()).toEqual(serverError);
    const authorization = basic(clientIdOf(2), secretValueOf(1));
    expect((await issue({ headers: { Authorization: authorization } })).statusCode).toBe(200);
  });

  it('is also one whose token KMS could not sign', async () => {
    const { issue, stores } = tokenWorld([makeClient({ serviceTrunkGroup: 'x'.repeat(3000) })]);
    expect(await issue()).toEqual(serverError);
    expect(stores.sign).not.toHaveBeenCalled();
  });
});

describe('an error that no one expected', () => {
  it.each([
    ['an error', new TypeError('secret detail of arn:aws:kms:us-west-2')],
    ['something that is no error', 'secret detail'],
    ['nothing', undefined],
  ])('%s: the same opaque 500', async (_name, thrown) => {
    const world = tokenWorld();
    world.stores.findClient.mockRejectedValue(thrown);
    expect(await world.issue()).toEqual(serverError);
    expect(world.reports).toMatchObject([{ level: 'error', outcome: 'server_error' }]);
  });

  it('in noting that a secret was used is counted, and the token is issued', async () => {
    const { issue, stores, reports } = tokenWorld([
      makeClient({ secrets: [makeSecret(secretValueOf(1), { lastUsedOn: '2020-01-01' })] }),
    ]);
    stores.recordUse.mockRejectedValue(new Error('no'));
    expect((await issue()).statusCode).toBe(200);
    expect(reports[0]?.measures).toEqual(new Map([['SecretUseFailures', 1]]));
  });
});
