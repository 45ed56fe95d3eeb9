import { describe, expect, it } from 'vitest';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import { SignHistory, unusableKeyMemory } from '../../../core/signing-key/sign-history.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';

const [{ key }, { key: fallback }] = [makeSigningKey(), makeSigningKey()];
const input = Buffer.from('input');

/** A KMS that refuses `key` until a test changes that, and counts how often it is asked for it. */
function setUp() {
  const kms = { refusal: new SigningKeyUnusableError('disabled') as Error | undefined, asked: 0 };
  const clock = { now: 1_000 };
  const watched = new SignHistory().watch(
    async ({ kid }) => {
      if (kid !== key.kid) return input;
      kms.asked += 1;
      if (kms.refusal !== undefined) throw kms.refusal;
      return input;
    },
    () => clock.now * 1000,
  );
  const signs = async (by: SigningKey): Promise<boolean> => {
    try {
      await watched(by, input);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return false;
    }
  };
  return { kms, clock, signs };
}

async function setUpRefused() {
  const world = setUp();
  expect(await world.signs(key)).toBe(false);
  expect(await world.signs(fallback)).toBe(true);
  return world;
}

describe('a key that KMS refuses while another signs', () => {
  it('is not asked again for a while, and then once more', async () => {
    const { clock, kms, signs } = await setUpRefused();
    clock.now += unusableKeyMemory - 1;
    expect(await signs(key)).toBe(false);
    expect(kms.asked).toBe(1);
    clock.now += 1;
    expect(await signs(key)).toBe(false);
    expect(kms.asked).toBe(2);
  });

  it('signs again from then on when KMS takes it', async () => {
    const { clock, kms, signs } = await setUpRefused();
    clock.now += unusableKeyMemory;
    kms.refusal = undefined;
    expect([await signs(key), await signs(fallback), await signs(key)]).toEqual([true, true, true]);
  });

  it('is asked again at once if the clock went back', async () => {
    const { clock, kms, signs } = await setUpRefused();
    clock.now -= 1;
    await signs(key);
    expect(kms.asked).toBe(2);
  });
});

describe('a key that KMS refuses while no other signs', () => {
  it('is asked each time, as it is all there is', async () => {
    const { kms, signs } = setUp();
    expect([await signs(key), await signs(key)]).toEqual([false, false]);
    expect(kms.asked).toBe(2);
    kms.refusal = undefined;
    expect(await signs(key)).toBe(true);
  });
});

it('a failure that is not about the key is not remembered', async () => {
  const { kms, signs } = setUp();
  kms.refusal = new UnavailableError('throttled');
  expect([await signs(key), await signs(fallback), await signs(key)]).toEqual([false, true, false]);
  expect(kms.asked).toBe(2);
});
