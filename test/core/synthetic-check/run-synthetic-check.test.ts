import { describe, expect, it } from 'vitest';
import { syntheticAuthority, syntheticClientId } from '../../../contract/synthetic-check.ts';
import { UnavailableError } from '../../../core/errors.ts';
import {
  runSyntheticCheck,
  type SyntheticCheckPorts,
  type TokenAnswer,
  verifyByDiscovery,
} from '../../../core/synthetic-check/run-synthetic-check.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { createMemoryClientStore } from '../../support/memory-stores.ts';

const settings = {
  issuer: 'https://auth.example.com',
  regionId: 'slc',
  accessTokenType: 'at+jwt',
} as const;
const now = 1_800_000_000;
const clientId = syntheticClientId('slc');
const key = createTestKey('ES256');
const strangersKey = createTestKey('ES256');
const jwks = { keys: [key.jwk] };

const claims = {
  iss: settings.issuer,
  sub: clientId,
  client_id: clientId,
  aud: syntheticAuthority.audiences[0],
  iat: now,
  exp: now + syntheticAuthority.tokenLifetime,
  jti: 'j',
  scope: 'synthetic-check',
};

function answerWith(access_token: string, different: object = {}): TokenAnswer {
  const body = { access_token, token_type: 'Bearer', expires_in: 60, scope: 'synthetic-check' };
  return { status: 200, body: { ...body, ...different } };
}

const good = answerWith(signToken(key, claims));
const refused: TokenAnswer = { status: 401, body: { error: 'invalid_client' } };

/** Answers in turn, the last one for ever. */
function world(
  answers: readonly TokenAnswer[] = [good],
  different: Partial<SyntheticCheckPorts> = {},
) {
  const clock = { now: now * 1000 };
  const waits: number[] = [];
  let asked = 0;
  const ports: SyntheticCheckPorts = {
    clients: createMemoryClientStore(),
    drawBytes: (length) => new Uint8Array(length).fill(7),
    postTokenRequest: async () => {
      clock.now += 120;
      asked += 1;
      return answers[Math.min(asked, answers.length) - 1] as TokenAnswer;
    },
    wait: async (milliseconds) => void waits.push(milliseconds),
    fetchJwks: async () => jwks,
    clock: () => clock.now,
    ...different,
  };
  return { run: () => runSyntheticCheck(ports, settings), waits, asked: () => asked };
}

describe('the synthetic check', () => {
  it('gets a token with a secret of its own and verifies it', async () => {
    const { run, waits } = world();
    expect(await run()).toEqual({ tokenLatency: 120, token: expect.any(String) });
    expect(waits).toEqual([]);
  });

  it('waits for a secret that the token path does not see yet, and counts its last request', async () => {
    const { run, waits } = world([refused, refused, good]);
    expect(await run()).toEqual({ tokenLatency: 120, token: expect.any(String) });
    expect(waits).toEqual([1000, 1000]);
  });

  it('does not wait for a region that is not well', async () => {
    const { run, asked } = world([
      { status: 503, body: { error: 'temporarily_unavailable' } },
      good,
    ]);
    await expect(run()).rejects.toMatchObject({
      step: 'token',
      message: 'the token endpoint answered 503 temporarily_unavailable',
    });
    expect(asked()).toBe(1);
  });

  it.each([
    ['a secret that never counts', [refused], 'the token endpoint answered 401 invalid_client'],
    [
      "somebody else's server",
      [{ status: 403, body: { error: '<script>' } }],
      'the token endpoint answered 403 with an unexpected body',
    ],
    ['no token', [{ status: 200, body: {} }], /without a valid token/],
    ['another token type', [answerWith('x', { token_type: 'DPoP' })], /without a valid token/],
    ['another scope', [answerWith('x', { scope: 'messaging:manage' })], /without a valid token/],
    ['a longer life', [answerWith('x', { expires_in: 3600 })], /without a valid token/],
  ] as const)('fails at the token with %s', async (_, answers, message) => {
    const { run } = world(answers);
    await expect(run()).rejects.toMatchObject({
      step: 'token',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['another key', signToken(strangersKey, claims)],
    ['another key under the same kid', signToken(strangersKey, claims, { kid: key.kid })],
    ['another issuer', signToken(key, { ...claims, iss: 'https://evil.example.com' })],
    ['another audience', signToken(key, { ...claims, aud: 'https://api.example.com' })],
    ['another subject', signToken(key, { ...claims, sub: 'client_1' })],
    ['another client', signToken(key, { ...claims, client_id: 'client_1' })],
    ['another type', signToken(key, claims, { typ: 'JWT' })],
    ['no end', signToken(key, { ...claims, exp: undefined })],
    ['an end that has passed', signToken(key, { ...claims, exp: now - 60 })],
    ['no id', signToken(key, { ...claims, jti: undefined })],
  ])('fails at the verification of a token of %s', async (_, token) => {
    const { run } = world([answerWith(token)]);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ step: 'verification' });
    expect((error as Error).message).not.toContain(token);
  });

  it.each([
    ['secret', { clients: { ...createMemoryClientStore(), find: fail } }],
    ['token', { postTokenRequest: fail }],
    ['jwks', { fetchJwks: fail }],
    ['jwks', { fetchJwks: async () => ({ keys: 'none' }) }],
  ] as const)('says that the step "%s" failed', async (step, different) => {
    await expect(world([good], different).run()).rejects.toMatchObject({ step });
  });
});

const discovery = `${settings.issuer}/.well-known/openid-configuration`;
const jwksUri = `${settings.issuer}/.well-known/jwks.json`;
const metadata = { issuer: settings.issuer, jwks_uri: jwksUri };
const bothRegions = { keys: [strangersKey.jwk, key.jwk] };
const token = signToken(key, claims);

/** Serves documents by their addresses. An address without one does not answer. */
function runIssuerCheck(documents: Readonly<Record<string, unknown>>) {
  const fetched: string[] = [];
  const fetchDocument = async (url: string) => {
    fetched.push(url);
    if (url in documents) return documents[url];
    throw new UnavailableError(`${url}: it does not answer`);
  };
  return { fetched, result: verifyByDiscovery(token, { fetchDocument }, settings, now) };
}

describe('the check of the issuer', () => {
  it('finds the keys by the name of the issuer, and verifies the token with them', async () => {
    const { fetched, result } = runIssuerCheck({ [discovery]: metadata, [jwksUri]: bothRegions });
    await result;
    expect(fetched).toEqual([discovery, jwksUri]);
  });

  it('also looks at the documents if the region issued no token', async () => {
    const good = verifyByDiscovery(
      undefined,
      { fetchDocument: async (url) => (url === discovery ? metadata : bothRegions) },
      settings,
      now,
    );
    await expect(good).resolves.toBeUndefined();
    const lost = verifyByDiscovery(
      undefined,
      { fetchDocument: () => Promise.reject(new UnavailableError('no address')) },
      settings,
      now,
    );
    await expect(lost).rejects.toMatchObject({ step: 'issuer' });
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a name that does not answer', {}, `UnavailableError: ${discovery}: it does not answer`],
    [
      'a JWKS that does not answer',
      { [discovery]: metadata },
      `UnavailableError: ${jwksUri}: it does not answer`,
    ],
    ['another document', { [discovery]: {} }, 'the discovery document is not of the issuer'],
    [
      'the document of another issuer',
      { [discovery]: { ...metadata, issuer: `${settings.issuer}/` } },
      'the discovery document is not of the issuer',
    ],
    [
      'no key set',
      { [discovery]: metadata, [jwksUri]: { keys: 'none' } },
      'the JWKS of the issuer is not a key set',
    ],
    [
      "a region that does not know this region's key",
      { [discovery]: metadata, [jwksUri]: { keys: [strangersKey.jwk] } },
      'with the keys of the issuer, the token does not verify: no applicable key found in the JSON Web Key Set',
    ],
  ])('fails with %s', async (_, documents, message) => {
    await expect(runIssuerCheck(documents).result).rejects.toMatchObject({
      step: 'issuer',
      message,
    });
  });
});

async function fail(): Promise<never> {
  throw new UnavailableError('it does not answer');
}
