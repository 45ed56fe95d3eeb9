import { describe, expect, it } from 'vitest';
import {
  assertDeletable,
  assertDisableable,
  assertWithdrawable,
} from '../../../core/key-rotation/removal-guard.ts';
import { RetainedKeyError } from '../../../core/key-rotation/rotation-errors.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { signingKey } from '../../support/rotation-keys.ts';

const later = 1_000_000;

/** Every state, with every time that would allow the step if the state did. */
const allTimes = { withdrawAt: 1, disableAt: 1, disabledAt: 1, deletionScheduledAt: 1 };

const guards: readonly (readonly [
  string,
  SigningKey['state'],
  (key: SigningKey, now: number) => void,
])[] = [
  ['withdrawn', 'previous', assertWithdrawable],
  ['disabled', 'withdrawn', assertDisableable],
  ['deleted', 'disabled', (key, now) => assertDeletable(key, policy, now)],
];

const states = ['next', 'current', 'previous', 'withdrawn', 'disabled', 'deletion_scheduled'];

describe('the last check before a key is taken out of use', () => {
  it.each(
    guards.flatMap(([step, allowed, check]) =>
      states
        .filter((state) => state !== allowed)
        .map((state) => [state as SigningKey['state'], step, check] as const),
    ),
  )('refuses that a key which is %s is %s', (state, step, check) => {
    expect(() => check(signingKey('k', { ...allTimes, state }), later)).toThrow(
      new RetainedKeyError(
        `k is "${state}" and cannot be ${step}: its tokens may be in use; allowed never in its present state`,
      ),
    );
  });

  it.each([
    ['previous', { withdrawAt: 10 }, assertWithdrawable, 10],
    ['withdrawn', { disableAt: 10 }, assertDisableable, 10],
    [
      'disabled',
      { disabledAt: 10 },
      (key: SigningKey, now: number) => assertDeletable(key, policy, now),
      10 + policy.deletionDelay,
    ],
  ] as const)(
    'allows it for one which is %s at its time and not before',
    (state, times, check, at) => {
      const key = signingKey('k', { ...times, state });
      expect(() => check(key, at)).not.toThrow();
      expect(() => check(key, at - 1)).toThrow(RetainedKeyError);
    },
  );
});
