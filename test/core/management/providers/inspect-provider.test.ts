import { describe, expect, it } from 'vitest';
import { jwksCacheTimes } from '../../../../contract/bounds.ts';
import { InputError } from '../../../../core/errors.ts';
import { FetchError } from '../../../../core/identity-provider/fetch-json.ts';
import { createTestKey, signToken } from '../../../../lab/support/test-issuer.ts';
import { createWorld, type World } from '../../../adapters/management/world.ts';

async function createEmptyWorld(): Promise<World> {
  const world = await createWorld();
  await world.management.deleteProvider(world.issuer);
  world.audit.length = 0;
  return world;
}

describe('inspecting a provider', () => {
  it('finds what registration stores, and stores nothing', async () => {
    const world = await createEmptyWorld();
    const { management, discoveryUrl, issuer } = world;
    const inspection = await management.inspectProvider(discoveryUrl);
    expect(inspection).toMatchObject({
      registrable: true,
      issuer,
      jwksUri: `${issuer}/keys`,
      allowedAlgorithms: ['ES256'],
      keySet: { keys: [expect.objectContaining({ alg: 'ES256' })], skipped: [] },
    });
    expect(inspection.problem).toBeUndefined();
    expect(world.providers.size).toBe(0);
    expect(world.audit).toEqual([]);
    const { provider } = await management.registerProvider(discoveryUrl);
    const {
      keySet: _,
      registrable: __,
      problem: ___,
      warning: _____,
      tokens: ____,
      ...found
    } = inspection;
    expect(provider).toMatchObject(found);
  });

  it.each<[string, (world: World) => void, object]>([
    [
      'a document that cannot be fetched',
      ({ documents, discoveryUrl }) => documents.delete(discoveryUrl),
      { problem: expect.stringContaining('did not answer with status 200') },
    ],
    [
      'a document without issuer',
      ({ documents, discoveryUrl }) => documents.set(discoveryUrl, {}),
      { problem: expect.stringContaining('issuer, jwks_uri is missing') },
    ],
    [
      'keys that cannot be fetched',
      ({ documents, issuer }) => documents.delete(`${issuer}/keys`),
      {
        issuer: 'https://idp.example.net',
        jwksUri: 'https://idp.example.net/keys',
        problem: expect.stringContaining('https://idp.example.net/keys cannot be fetched'),
      },
    ],
    [
      'a symmetric key',
      ({ documents, issuer }) =>
        documents.set(`${issuer}/keys`, { keys: [{ kty: 'oct', kid: 'a', k: 'AA' }] }),
      {
        jwksUri: 'https://idp.example.net/keys',
        problem: expect.stringContaining('holds the secret member k'),
      },
    ],
    [
      'our own keys',
      ({ documents, issuer, signingKeys }) => {
        const { keys } = documents.get(`${issuer}/keys`) as { keys: [{ kid: string }] };
        signingKeys.push({ kid: keys[0].kid } as (typeof signingKeys)[number]);
      },
      {
        issuer: 'https://idp.example.net',
        keySet: expect.anything(),
        problem: expect.stringContaining('is this service itself'),
      },
    ],
  ])('says what it found before %s stopped it', async (_, prepare, expected) => {
    const world = await createEmptyWorld();
    prepare(world);
    const { management, discoveryUrl } = world;
    expect(await management.inspectProvider(discoveryUrl)).toMatchObject({
      registrable: false,
      ...expected,
    });
    const { problem = '' } = await management.inspectProvider(discoveryUrl);
    await expect(management.registerProvider(discoveryUrl)).rejects.toThrow(problem);
  });

  it('says that a provider is registered', async () => {
    const { management, discoveryUrl, issuer } = await createWorld();
    expect(await management.inspectProvider(discoveryUrl)).toMatchObject({
      registrable: false,
      issuer,
      problem: expect.stringContaining('is registered; a provider is not edited'),
    });
  });

  it.each(['http://idp.example.net/', 'https://10.0.0.1/', 'idp.example.net', ''])(
    'refuses the URL %j before anything is fetched',
    async (url) => {
      const { management } = await createWorld();
      const refusal = await management.inspectProvider(url).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(InputError);
      expect(refusal).toMatchObject({ field: 'discoveryUrl' });
    },
  );
});

describe('the algorithms of a provider', () => {
  const key = createTestKey('RS256');
  const { alg: _, ...plain } = key.jwk;

  async function worldWith(listed: readonly string[] | undefined): Promise<World> {
    const world = await createEmptyWorld();
    const { documents, discoveryUrl, issuer } = world;
    const document = { issuer, jwks_uri: `${issuer}/keys` };
    const algorithms = listed && { id_token_signing_alg_values_supported: listed };
    documents.set(discoveryUrl, { ...document, ...algorithms });
    documents.set(`${issuer}/keys`, { keys: [plain, { ...key.jwk, kid: 'k_RS256' }] });
    return world;
  }

  it('that is chosen decides what a key without alg is for', async () => {
    const { management, discoveryUrl } = await worldWith(['RS256', 'PS256']);
    const found = await management.inspectProvider(discoveryUrl);
    expect(found.keySet).toMatchObject({
      keys: [{ kid: 'k_RS256' }],
      skipped: [
        { reason: 'it has no alg, and it could be a key for RS256 or PS256: --algorithm decides' },
      ],
    });
    const options = { algorithms: ['RS256'], leeway: 30 };
    const { provider, keySet } = await management.registerProvider(discoveryUrl, options);
    expect(provider).toMatchObject({ allowedAlgorithms: ['RS256'], leeway: 30 });
    expect(keySet.keys.map(({ alg }) => alg)).toEqual(['RS256', 'RS256']);
    expect(keySet.skipped).toEqual([]);
  });

  it('can be chosen if the provider lists none', async () => {
    const { management, discoveryUrl } = await worldWith(undefined);
    const options = { algorithms: ['RS256'] };
    const { provider, keySet } = await management.registerProvider(discoveryUrl, options);
    expect(provider.allowedAlgorithms).toEqual(['RS256']);
    expect(keySet.keys).toHaveLength(2);
  });

  it.each<[string, readonly string[], readonly string[] | undefined]>([
    ['one that is not listed', ['PS256'], ['RS256', 'ES256']],
    ['none', [], ['RS256']],
    ['no signature', ['none'], undefined],
    ['a symmetric one', ['HS256'], undefined],
    ['a symmetric one that is listed', ['HS256'], ['RS256', 'HS256']],
    ['another spelling', ['rs256'], ['RS256']],
    ['one next to a wrong one', ['RS256', 'none'], ['RS256']],
    ['a name of every object', ['constructor'], undefined],
  ])('are refused: %s', async (_what, algorithms, listed) => {
    const { management, discoveryUrl, providers } = await worldWith(listed);
    const refusal = await management
      .registerProvider(discoveryUrl, { algorithms })
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ field: 'algorithms' });
    expect((refusal as Error).message).toContain('; allowed: RS256');
    expect(providers.size).toBe(0);
  });

  it('that conflict with the keys leave no key', async () => {
    const { management, discoveryUrl } = await worldWith(['RS256', 'ES256']);
    await expect(
      management.registerProvider(discoveryUrl, { algorithms: ['ES256'] }),
    ).rejects.toThrow('it has no key that verifies signatures');
  });
});

describe('a discovery document', () => {
  it.each<[string, (place: string) => string, boolean]>([
    ['with a slash after its place', (place) => `${place}/`, true],
    ['with two slashes', (place) => `${place}//`, false],
    ['with a slash and a query', (place) => `${place}/?a=b`, false],
    ['below its place', (place) => `${place}/x`, false],
    ['at another host', (place) => `${place.replace('idp.', 'evil.')}/`, false],
    ['at a place of another issuer', (place) => `${place.replace('/.well', '/x/.well')}/`, false],
  ])('that is only there %s', async (_, urlOf, registrable) => {
    const world = await createEmptyWorld();
    const { management, documents, discoveryUrl } = world;
    const url = urlOf(discoveryUrl);
    documents.set(url, documents.get(discoveryUrl));
    documents.delete(discoveryUrl);
    const found = await management.inspectProvider(url);
    expect(found.registrable).toBe(registrable);
    if (registrable) expect(found.discoveryUrl).toBe(url);
    else expect(found.problem).toContain('cannot be fetched');
  });

  it.each<[unknown, string | undefined]>([
    [
      'http://adfs.example.com/adfs/services/trust',
      'its access tokens have the issuer http://adfs.example.com/adfs/services/trust (access_token_issuer), so each of them would be refused',
    ],
    ['https://idp.example.net', undefined],
    [7, undefined],
    [undefined, undefined],
  ])('whose access_token_issuer is %j', async (accessTokenIssuer, warning) => {
    const world = await createEmptyWorld();
    const { management, documents, discoveryUrl } = world;
    const document = documents.get(discoveryUrl) as object;
    documents.set(discoveryUrl, { ...document, access_token_issuer: accessTokenIssuer });
    const found = await management.inspectProvider(discoveryUrl);
    expect([found.registrable, found.warning]).toEqual([true, warning]);
  });
});

describe('the leeway of a provider', () => {
  it.each([0, 9, 61, 10.5, -10, Number.NaN, '60'])('cannot be %s', async (leeway) => {
    const { management, discoveryUrl } = await createEmptyWorld();
    await expect(
      management.registerProvider(discoveryUrl, { leeway: leeway as number }),
    ).rejects.toMatchObject({ field: 'leeway' });
  });
});

describe('inspecting a token of a provider', () => {
  const key = createTestKey('ES256');

  async function inspect(
    claims: Readonly<Record<string, unknown>>,
    options: Parameters<World['management']['inspectProvider']>[1] = {},
    signer = key,
  ) {
    const world = await createEmptyWorld();
    const { management, issuer, discoveryUrl, now } = world;
    world.documents.set(`${issuer}/keys`, { keys: [key.jwk] });
    const usual = { iss: issuer, aud: 'api', iat: now, exp: now + 300 };
    const token = signToken(signer, { ...usual, ...claims });
    const inspection = await management.inspectProvider(discoveryUrl, {
      ...options,
      tokens: [token],
    });
    expect(JSON.stringify(inspection)).not.toContain(token.split('.')[2]);
    expect(world.providers.size).toBe(0);
    return inspection.tokens[0];
  }

  it('decides about tokens of a provider that is registered, as it is registered', async () => {
    const { management, issuer, discoveryUrl, documents, now } = await createEmptyWorld();
    documents.set(`${issuer}/keys`, { keys: [key.jwk] });
    await management.registerProvider(discoveryUrl, { clientIdClaim: 'appid' });
    const claims = {
      iss: issuer,
      aud: 'api',
      iat: now,
      exp: now + 300,
      appid: 'app-2',
      azp: 'app-1',
    };
    const tokens = [signToken(key, claims), signToken(key, { ...claims, exp: now - 300 })];
    expect(await management.inspectProvider(discoveryUrl, { tokens })).toMatchObject({
      registrable: false,
      problem: expect.stringContaining('is registered'),
      keySet: { keys: [{ kid: key.kid }] },
      tokens: [
        { usable: true, clientIdClaim: 'appid', externalClientId: 'app-2' },
        { usable: false, reason: 'token_expired' },
      ],
    });
  });

  it('says which client and which audience it would be accepted for', async () => {
    const claims = { sub: 'user-1', azp: 'app-1', appid: 'app-2', cid: 7 };
    expect(await inspect(claims)).toEqual({
      usable: true,
      clientIdClaim: 'azp',
      externalClientId: 'app-1',
      audiences: ['api'],
      subject: 'user-1',
      expiresAt: 1_800_000_300,
      patterns: [],
      otherClaims: { sub: 'user-1', appid: 'app-2' },
    });
    expect(await inspect(claims, { clientIdClaim: 'appid' })).toMatchObject({
      clientIdClaim: 'appid',
      externalClientId: 'app-2',
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, object, object]>([
    ['another issuer', { iss: 'https://other.example' }, {}, { reason: 'issuer_unknown' }],
    ['an end in the past', { sub: 'a', exp: 1_000 }, {}, { reason: 'token_expired' }],
    [
      'no claim that was chosen',
      { sub: 'a' },
      { clientIdClaim: 'cid' },
      { reason: 'token_claims_malformed', finding: { name: 'cid', received: undefined } },
    ],
    [
      'no audience',
      { sub: 'a', aud: undefined },
      {},
      { reason: 'token_claims_malformed', finding: { name: 'aud' } },
    ],
    [
      'no time of its issue, which every new client needs',
      { sub: 'a', iat: undefined },
      {},
      { reason: 'token_revoked', finding: { name: 'iat', received: undefined } },
    ],
  ])('says why a token is refused for %s', async (_, claims, options, expected) => {
    expect(await inspect(claims, options)).toMatchObject({ usable: false, ...expected });
  });

  it('verifies the signature', async () => {
    const forged = await inspect({ sub: 'a' }, {}, { ...createTestKey('ES256'), kid: key.kid });
    expect(forged).toMatchObject({ usable: false, reason: 'token_signature_wrong' });
  });

  it('says why the key that it names is left out', async () => {
    const world = await createEmptyWorld();
    const { management, issuer, discoveryUrl, now } = world;
    const { alg: _, ...jwk } = createTestKey('RS256').jwk;
    const signer = createTestKey('RS256');
    const listed = { id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'] };
    world.documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/keys`, ...listed });
    world.documents.set(`${issuer}/keys`, { keys: [jwk, key.jwk] });
    const claims = { iss: issuer, aud: 'api', sub: 'a', iat: now, exp: now + 300 };
    const token = signToken({ ...signer, kid: jwk.kid }, claims);
    const { tokens } = await management.inspectProvider(discoveryUrl, { tokens: [token] });
    expect(tokens[0]).toMatchObject({
      reason: 'token_key_unknown',
      finding: {
        expected: `a key in the key set of ${issuer}; this one is left out: it has no alg, and it could be a key for RS256 or PS256: --algorithm decides`,
      },
    });
  });

  it('never shows a token that is no token', async () => {
    const { management, discoveryUrl } = await createEmptyWorld();
    const secret = 'not-a-token-but-perhaps-a-password';
    const { tokens } = await management.inspectProvider(discoveryUrl, { tokens: [secret] });
    expect(tokens).toMatchObject([{ usable: false, reason: 'token_malformed' }]);
    expect(JSON.stringify(tokens)).not.toContain(secret);
  });
});

describe('the keys of a registered provider', () => {
  it('are those that it publishes at present', async () => {
    const { management, issuer } = await createWorld();
    expect(await management.inspectProviderKeys(issuer)).toMatchObject({
      keySet: { keys: [{ alg: 'ES256' }] },
    });
  });

  it('are missed if they cannot be fetched or used', async () => {
    const world = await createWorld();
    const { management, issuer, documents } = world;
    documents.set(`${issuer}/keys`, { keys: [] });
    const refused = { problem: 'the key set is refused: it has no key that verifies signatures' };
    expect(await management.inspectProviderKeys(issuer)).toEqual(refused);
    documents.delete(`${issuer}/keys`);
    expect(await management.inspectProviderKeys(issuer)).toEqual(refused);
    world.now += jwksCacheTimes.coldRetry;
    const { problem } = await management.inspectProviderKeys(issuer);
    expect(problem).toBe(new FetchError(`${issuer}/keys`, 'status').message);
  });
});
