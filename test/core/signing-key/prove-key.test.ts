import { describe, expect, it } from 'vitest';
import type { CanaryVerdict } from '../../../contract/function-events.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { proveKey } from '../../../core/signing-key/prove-key.ts';
import { regionsInService } from '../../../core/signing-key/regions-in-service.ts';
import { PromotionRefusedError } from '../../../core/signing-key/rotation-errors.ts';
import { signingKey } from '../../support/rotation/keys.ts';
import { createContext } from '../../support/rotation/runs.ts';
import { World } from '../../support/rotation/world.ts';

const key = signingKey('k', { state: 'next' });
const ok = { kid: 'k', region: 'slc', ok: true } as const;

async function prove(verdicts: readonly CanaryVerdict[]) {
  const world = new World();
  await world.store.createSigningKey(key);
  const { ports } = createContext(world, 'slc');
  const proof = proveKey(key, { ...ports, proveKey: async () => verdicts });
  return { proof, stored: async () => world.store.find('k'), now: world.now };
}

describe('the proof of a key', () => {
  it('is that it verifies in every region', async () => {
    const { proof } = await prove([ok, { ...ok, region: 'dfw' }]);
    await expect(proof).resolves.toBeUndefined();
  });

  it.each<[string, readonly CanaryVerdict[], string]>([
    ['no region answered', [], 'k may not sign yet: no region has proved it'],
    ['the own region is missing', [{ ...ok, region: 'dfw' }], 'no region has proved it'],
    [
      'one region does not answer',
      [ok, { ...ok, region: 'dfw', ok: false, problem: 'unreachable', reason: 'timeout' }],
      'k may not sign yet: dfw: timeout',
    ],
    [
      'two regions lag, each with its reason',
      [
        ok,
        { ...ok, region: 'dfw', ok: false, problem: 'absent', reason: 'its JWKS lacks the key' },
        { ...ok, region: 'pit', ok: false, problem: 'not_verified' },
      ],
      'k may not sign yet: dfw: its JWKS lacks the key; pit: not_verified',
    ],
  ])('is refused when %s', async (_, verdicts, message) => {
    const { proof } = await prove(verdicts);
    await expect(proof).rejects.toThrow(PromotionRefusedError);
    await expect(proof).rejects.toThrow(message);
  });

  it('is refused while the canary does not answer', async () => {
    const world = new World();
    const { ports } = createContext(world, 'slc');
    const silent = () => Promise.reject(new UnavailableError('timeout'));
    await expect(proveKey(key, { ...ports, proveKey: silent })).rejects.toThrow(
      'k may not sign yet: slc: the canary does not answer: timeout',
    );
  });

  it.each([
    ['starts the time anew where a region serves no such key', 'absent', true],
    ['leaves the time where a region does not answer', 'unreachable', false],
    ['leaves the time where the key does not sign', 'not_signed', false],
  ] as const)('%s', async (_, problem, isAnew) => {
    const { proof, stored, now } = await prove([ok, { ...ok, region: 'dfw', ok: false, problem }]);
    await expect(proof).rejects.toThrow(PromotionRefusedError);
    expect((await stored())?.publishedAt).toBe(isAnew ? now : 0);
  });
});

describe('the regions in service', () => {
  const day = 86_400;
  const heartbeats = [
    { regionId: 'slc', at: 10 * day },
    { regionId: 'dfw', at: 0 },
  ] as const;

  it.each([
    ['every region of the config that has run', ['slc', 'dfw', 'pit'], heartbeats, ['slc', 'dfw']],
    ['without one that left the config', ['slc', 'pit'], heartbeats, ['slc']],
    ['with the own before it has run', ['slc', 'dfw'], [], ['slc']],
    [
      'with one that the own copy of the config does not know yet',
      ['slc'],
      [...heartbeats, { regionId: 'pit', at: 9.5 * day }],
      ['slc', 'pit'],
    ],
  ] as const)('are %s', (_, configured, beats, expected) => {
    expect(regionsInService('slc', configured, beats, 10 * day)).toEqual(expected);
  });
});
