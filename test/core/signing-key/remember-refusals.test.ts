import { describe, expect, it, vi } from 'vitest';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import { refusalMemory, rememberRefusals } from '../../../core/signing-key/remember-refusals.ts';
import type { Sign } from '../../../core/signing-key/sign.ts';
import { makeSigningKey } from '../../support/signing-keys.ts';

const [{ key }, { key: other }] = [makeSigningKey(), makeSigningKey()];
const input = Buffer.from('input');
const signature = Buffer.from('signature');

function setUp() {
  const clock = { now: 1_000 };
  const kms = vi.fn<Sign>(async () => signature);
  return { clock, kms, sign: rememberRefusals(kms, () => clock.now) };
}

describe('a key that KMS refuses', () => {
  it('is not asked again for a while, and then once more', async () => {
    const { clock, kms, sign } = setUp();
    kms.mockRejectedValue(new SigningKeyUnusableError('disabled'));
    await expect(sign(key, input)).rejects.toThrow('disabled');
    clock.now += refusalMemory - 1;
    await expect(sign(key, input)).rejects.toThrow(SigningKeyUnusableError);
    expect(kms).toHaveBeenCalledTimes(1);
    clock.now += 1;
    kms.mockResolvedValue(signature);
    expect(await sign(key, input)).toBe(signature);
    expect(await sign(key, input)).toBe(signature);
    expect(kms).toHaveBeenCalledTimes(3);
  });

  it('holds up no other key', async () => {
    const { kms, sign } = setUp();
    kms.mockRejectedValueOnce(new SigningKeyUnusableError('disabled'));
    await expect(sign(key, input)).rejects.toThrow();
    expect(await sign(other, input)).toBe(signature);
  });

  it('is asked again at once where the clock went back', async () => {
    const { clock, kms, sign } = setUp();
    kms.mockRejectedValueOnce(new SigningKeyUnusableError('disabled'));
    await expect(sign(key, input)).rejects.toThrow();
    clock.now -= 1;
    expect(await sign(key, input)).toBe(signature);
  });
});

it('a failure that is not about the key is not remembered', async () => {
  const { kms, sign } = setUp();
  kms.mockRejectedValueOnce(new UnavailableError('throttled'));
  await expect(sign(key, input)).rejects.toThrow('throttled');
  expect(await sign(key, input)).toBe(signature);
});
