import { describe, expect, it } from 'vitest';
import type { CanaryFinding } from '../../../contract/function-events.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { proveKey, reconcile } from '../../../core/key-rotation/reconcile.ts';
import {
  type Heartbeat,
  type KeyManagement,
  PromotionRefusedError,
} from '../../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { createContext } from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';
import { signingKey } from '../../support/rotation-keys.ts';

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
