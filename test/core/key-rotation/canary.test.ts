import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { CanaryFinding } from '../../../contract/function-events.ts';
import type { Alg } from '../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import {
  canaryAudience,
  canaryIssuer,
  checkKey,
  proveKey,
  regionsInService,
} from '../../../core/key-rotation/canary.ts';
import { reconcile } from '../../../core/key-rotation/reconcile.ts';
import {
  type KeyManagement,
  PromotionRefusedError,
} from '../../../core/key-rotation/rotation-ports.ts';
import type { Heartbeat } from '../../../core/key-rotation/rotation-state.ts';
import type { Sign } from '../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { createContext } from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';
import { signAs } from '../../../lab/support/key-pairs.ts';
import {
  createTestKey,
  encodeJson,
  signParts,
  type TestKey,
} from '../../../lab/support/test-issuer.ts';
import { createWorld, issuer, now, reasonOf } from '../../../lab/support/verifier-world.ts';
import { signingKey } from '../../support/rotation-keys.ts';

const pair = createTestKey('ES256');
const other = createTestKey('ES256');
const values = { now, jti: 'random' };

function recordOf({ kid, alg, jwk }: TestKey) {
  return signingKey(kid, { alg, publicJwk: jwk, state: 'next' });
}

const signWith =
  (key: TestKey): Sign =>
  async ({ alg }, input) =>
    signAs(alg, key.privateKey, input);

const jwksOf = (...keys: readonly TestKey[]) => ({ keys: keys.map(({ jwk }) => jwk) });

const metadataOf = (...listed: readonly unknown[]) => ({
  id_token_signing_alg_values_supported: listed,
});

const answerWith = (served: unknown) => () =>
  served instanceof Error ? Promise.reject(served) : Promise.resolve(served);

/** Checks the key in one region that serves these documents, or throws them. */
async function check(
  served: unknown,
  sign: Sign = signWith(pair),
  metadata: unknown = metadataOf('RS256', 'ES256'),
) {
  const ports = { sign, fetchJwks: answerWith(served), fetchMetadata: answerWith(metadata) };
  const [finding] = await checkKey(recordOf(pair), ['dfw'], ports, values);
  return finding;
}

describe('the canary of a key', () => {
  it.each<Alg>(['RS256', 'PS256', 'ES256', 'ES384', 'ML-DSA-44', 'ML-DSA-65'])(
    'verifies a token of %s through the JWKS that a region serves',
    async (alg) => {
      const key = createTestKey(alg);
      const ports = {
        sign: signWith(key),
        fetchJwks: async () => jwksOf(other, key),
        fetchMetadata: async () => metadataOf(alg),
      };
      const findings = await checkKey(recordOf(key), ['slc', 'dfw'], ports, values);
      expect(findings).toEqual([
        { kid: key.kid, region: 'slc', ok: true },
        { kid: key.kid, region: 'dfw', ok: true },
      ]);
    },
  );

  const impostor = { ...other.jwk, kid: pair.kid };
  const refuses: Sign = () => Promise.reject(new SigningKeyUnusableError('it is disabled'));
  const silent: Sign = () => Promise.reject(new UnavailableError('throttled'));
  it.each<[string, unknown, Sign | undefined, string]>([
    ['a JWKS lacks the key', jwksOf(other), undefined, 'absent'],
    ['a JWKS is empty', { keys: [] }, undefined, 'absent'],
    ['a region does not answer', new UnavailableError('timeout'), undefined, 'unreachable'],
    ['an answer is no JWKS', { message: 'hello' }, undefined, 'not_verified'],
    ['the kid is that of another key', { keys: [impostor] }, undefined, 'not_verified'],
    ['the kid occurs twice', { keys: [pair.jwk, impostor] }, undefined, 'not_verified'],
    ['KMS refuses', jwksOf(pair), refuses, 'not_signed'],
    ['KMS does not answer', jwksOf(pair), silent, 'not_signed'],
    ['KMS signs with another key', jwksOf(pair), signWith(other), 'not_signed'],
  ])('fails when %s', async (_, served, sign, problem) => {
    expect(await check(served, sign)).toMatchObject({ region: 'dfw', ok: false, problem });
  });
});

describe('the discovery document of a region', () => {
  it.each<[string, unknown, object]>([
    [
      'lists other algorithms',
      metadataOf('RS256', 'PS256'),
      {
        problem: 'not_listed',
        reason: 'its discovery document lists RS256, PS256, not ES256',
      },
    ],
    [
      'lists none',
      metadataOf(),
      { problem: 'not_listed', reason: 'its discovery document lists no algorithm, not ES256' },
    ],
    ['is none', { message: 'hello' }, { problem: 'not_listed' }],
    ['does not come', new UnavailableError('timeout'), { problem: 'unreachable' }],
  ])('fails the key when it %s', async (_, metadata, finding) => {
    expect(await check(jwksOf(pair), undefined, metadata)).toMatchObject({
      region: 'dfw',
      ok: false,
      ...finding,
    });
  });
});

describe('a canary token', () => {
  /** What the canary had KMS sign, as a whole token. */
  async function takeToken(): Promise<string> {
    let input = '';
    await check(jwksOf(pair), async (key, bytes) => {
      input = Buffer.from(bytes).toString();
      return signAs(key.alg, pair.privateKey, bytes);
    });
    const [header = '', payload = ''] = input.split('.');
    return signParts(pair, header, payload);
  }

  it('is refused by the verifier of this service', async () => {
    const world = createWorld();
    world.jwks.set(issuer, [pair]);
    expect(await reasonOf(world.verify(`Bearer ${await takeToken()}`))).toBe('issuer_unknown');
  });

  it('is refused by a verifier that checks only the time', async () => {
    const token = await takeToken();
    const currentDate = new Date(now * 1000);
    await expect(jwtVerify(token, pair.publicKey, { currentDate })).rejects.toMatchObject({
      code: 'ERR_JWT_EXPIRED',
    });
  });

  it.each([
    ['the type', { typ: 'at+jwt' }],
    ['the issuer', { issuer }],
    ['the audience', { audience: 'https://api.example.com' }],
  ])('is refused by one that checks only %s', async (_, options) => {
    // As if the clock stood at the time when the token was valid.
    const currentDate = new Date((now - 2 * 86_400) * 1000);
    const token = await takeToken();
    await expect(
      jwtVerify(token, pair.publicKey, { currentDate, ...options }),
    ).rejects.toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
  });

  it('says nothing but what it is', async () => {
    const [header = '', payload = ''] = (await takeToken()).split('.');
    const kid = pair.kid;
    expect(header).toBe(encodeJson({ alg: 'ES256', typ: 'signing-key-canary+jwt', kid }));
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      iss: canaryIssuer,
      sub: kid,
      aud: canaryAudience,
      jti: 'random',
      iat: now - 172_800,
      exp: now - 86_400,
    });
  });
});

const { propagationLag, leeway } = policy;
const ok = { kid: 'k', region: 'slc', ok: true } as const;
const okInDfw = { ...ok, region: 'dfw' } as const;
const published = signingKey('k', { state: 'next', provedAt: undefined });

interface Setting {
  readonly findings: readonly CanaryFinding[] | Error;
  readonly key?: SigningKey;
  readonly heartbeats?: readonly Heartbeat[];
}

async function prove({ findings, key = published, heartbeats = [] }: Setting) {
  const world = new World();
  await world.store.createSigningKey(key);
  const { ports, settings } = createContext(world, 'slc');
  const askCanary = async () => {
    if (findings instanceof Error) throw findings;
    return findings;
  };
  const error: unknown = await proveKey(
    key,
    { heartbeats },
    { settings, ports: { ...ports, checkKey: askCanary } },
  ).catch((reason: unknown) => reason);
  const stored = world.store.find('k');
  return { error, now: world.now, seenAt: stored?.seenAt, provedAt: stored?.provedAt };
}

describe('the proof of a key', () => {
  it('begins when every region serves it', async () => {
    const { error, seenAt, provedAt, now } = await prove({ findings: [ok, okInDfw] });
    expect({ error, seenAt, provedAt }).toEqual({
      error: undefined,
      seenAt: now,
      provedAt: undefined,
    });
  });

  const seen = { ...published, seenAt: 1_000 };
  const settled = 1_000 + propagationLag + leeway;
  const beat = (regionId: 'slc' | 'dfw', at: number) => ({ regionId, at });

  it('is complete when every region has run G + L after it was first seen', async () => {
    const heartbeats = [beat('slc', settled), beat('dfw', settled)];
    const { provedAt, seenAt, now } = await prove({
      findings: [ok, okInDfw],
      key: seen,
      heartbeats,
    });
    expect({ provedAt, seenAt }).toEqual({ provedAt: now, seenAt: 1_000 });
  });

  it.each([
    ['a region has not run since', [beat('slc', settled), beat('dfw', settled - 1)]],
    ['a region has never run', [beat('slc', settled)]],
  ])('is not complete while %s', async (_, heartbeats) => {
    const { error, provedAt } = await prove({ findings: [ok, okInDfw], key: seen, heartbeats });
    expect([error, provedAt]).toEqual([undefined, undefined]);
  });

  it('stays as it is when it is complete', async () => {
    const key = { ...seen, provedAt: 2_000 };
    const { error, provedAt } = await prove({ findings: [ok, okInDfw], key });
    expect([error, provedAt]).toEqual([undefined, 2_000]);
  });

  it.each<[string, readonly CanaryFinding[], string]>([
    ['no region answered', [], 'k may not sign yet: no region has proved it'],
    ['the own region is missing', [okInDfw], 'no region has proved it'],
    [
      'one region does not answer',
      [ok, { ...okInDfw, ok: false, problem: 'unreachable', reason: 'timeout' }],
      'k may not sign yet: dfw: timeout',
    ],
    [
      'two regions lag, each with its reason',
      [
        ok,
        { ...okInDfw, ok: false, problem: 'absent', reason: 'its JWKS lacks the key' },
        { ...ok, region: 'pit', ok: false, problem: 'not_verified' },
      ],
      'k may not sign yet: dfw: its JWKS lacks the key; pit: not_verified',
    ],
  ])('is refused when %s', async (_, findings, message) => {
    const { error, seenAt } = await prove({ findings });
    expect(error).toBeInstanceOf(PromotionRefusedError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(seenAt).toBeUndefined();
  });

  it('is refused while the canary does not answer', async () => {
    const { error } = await prove({ findings: new UnavailableError('timeout') });
    expect(error).toMatchObject({
      message: 'k may not sign yet: slc: the canary does not answer: timeout',
    });
  });

  it.each([
    ['begins again if a region serves no such key', 'absent', undefined],
    ['begins again if a region serves another key', 'not_verified', undefined],
    ['is as good as before if a region does not answer', 'unreachable', 2_000],
    ['is as good as before if the key does not sign', 'not_signed', 2_000],
  ] as const)('%s', async (_, problem, expected) => {
    const key = { ...seen, provedAt: 2_000 };
    const findings = [ok, { ...okInDfw, ok: false, problem }];
    const { error, provedAt, seenAt } = await prove({ findings, key });
    expect(error).toBeInstanceOf(PromotionRefusedError);
    expect([provedAt, seenAt === undefined]).toEqual([expected, expected === undefined]);
  });
});

describe('the regions in service', () => {
  const silence = 1_800;
  const heartbeats = [
    { regionId: 'slc', at: 10_000 },
    { regionId: 'dfw', at: 0 },
  ] as const;

  it.each([
    ['every region of the config that has run', ['slc', 'dfw', 'pit'], heartbeats, ['slc', 'dfw']],
    ['without one that left the config and stopped', ['slc', 'pit'], heartbeats, ['slc']],
    ['with the own before it has run', ['slc', 'dfw'], [], ['slc']],
    [
      'with one that runs and that the own copy of the config does not name',
      ['slc'],
      [...heartbeats, { regionId: 'pit', at: 10_000 - silence + 1 }],
      ['slc', 'pit'],
    ],
    [
      'without one that the config does not name and that has been silent for so long',
      ['slc'],
      [...heartbeats, { regionId: 'pit', at: 10_000 - silence }],
      ['slc'],
    ],
  ] as const)('are %s', (_, configured, beats, expected) => {
    const check = { own: 'slc', configured, heartbeats: beats, silence } as const;
    expect(regionsInService(check)).toEqual(expected);
  });
});

// A region with a former config serves the key and does not list its algorithm.
it('is refused to the wanted key of a region that has never signed, which then signs with the former one', async () => {
  const world = new World({ algs: ['ES256', 'ES384'] });
  const { ports, settings } = createContext(world, 'pit');
  const own = { regionId: 'pit', state: 'next', publishedAt: 0, provedAt: 0 } as const;
  const former = signingKey('former', { ...own, activatedAt: undefined });
  const wanted = signingKey('wanted', { ...own, activatedAt: undefined, alg: 'ES384' });
  for (const key of [signingKey('first'), former, wanted]) {
    await world.store.createSigningKey(key);
  }
  const keyManagement: KeyManagement = Object.assign(Object.create(ports.keyManagement), {
    describeKey: async () => ({ state: 'enabled' }),
  });
  const proveOnlyFormer = async (kid: string): Promise<readonly CanaryFinding[]> => [
    { kid, region: 'pit', ok: true },
    kid === 'former'
      ? { kid, region: 'slc', ok: true }
      : { kid, region: 'slc', ok: false, problem: 'not_listed' },
  ];
  const { refused } = await reconcile({
    actor: 'test',
    ports: { ...ports, keyManagement, checkKey: proveOnlyFormer },
    settings: { ...settings, algs: ['ES384', 'ES256'] },
  });
  expect(world.store.find('former')).toMatchObject({ state: 'current' });
  expect(world.store.find('wanted')).toMatchObject({ state: 'next' });
  expect(refused.map(({ action }) => action)).toMatchObject([{ key: { kid: 'wanted' } }]);
});

// The canary's role may sign only with the algorithms of the config, so asking it raised an alarm.
it('is not asked for a key whose algorithm left the config', async () => {
  const world = new World({ algs: ['ES256', 'ES384'] });
  world.region('slc').deploy();
  await reconcile(createContext(world, 'slc'));
  const { ports, settings } = createContext(world, 'slc');
  const asked: string[] = [];
  const proveNone = async (kid: string) => {
    asked.push(kid);
    return [];
  };
  const { done, refused } = await reconcile({
    actor: 'test',
    ports: { ...ports, checkKey: proveNone },
    settings: { ...settings, algs: ['ES384'] },
  });
  const [former] = world.store.keys.filter(
    ({ alg, state }) => alg === 'ES256' && state !== 'current',
  );
  expect(former?.state).toBe('previous');
  expect(asked).not.toContain(former?.kid);
  expect(done).toContainEqual(expect.objectContaining({ kind: 'retire', reason: 'superseded' }));
  expect(refused.map(({ action }) => action)).not.toContainEqual(
    expect.objectContaining({ key: former }),
  );
});
