import { describe, expect, it } from 'vitest';
import { assertRemovable, plan, subjectOf } from '../../../core/key-rotation/plan.ts';
import { RetainedKeyError, type RotationState } from '../../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { oldestJwks, policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { keyIntent, rotationState, settings, signingKey } from '../../support/rotation-keys.ts';

const { publicationLead: lead, rotationPeriod: period, retention, deletionDelay } = policy;

/** The actions in short: `promote b`. */
function planInShort(state: RotationState, now: number): readonly string[] {
  return plan(state, settings, now).map((action) => `${action.kind} ${subjectOf(action)}`);
}

const current = signingKey('a');
const next = signingKey('b', { state: 'next' });
const closed = keyIntent({ closed: true });
const keys = (...all: RotationState['keys']) => rotationState({ keys: all, intents: [closed] });

describe('the plan of a settled region', () => {
  it('is empty', () => {
    expect(planInShort(keys(current, next), period - 1)).toEqual([]);
  });

  it('does not depend on the order of the keys, nor on what other regions do', () => {
    const others = [
      signingKey('x', { regionId: 'dfw' }),
      signingKey('y', { regionId: 'dfw', state: 'previous', withdrawAt: 1 }),
      signingKey('z', { regionId: 'pit', state: 'next' }),
    ];
    expect(planInShort(keys(next, ...others, current), period - 1)).toEqual([]);
  });
});

describe('promotion', () => {
  it.each([
    ['waits until the period of the signing key is over', keys(current, next), period - 1, []],
    ['follows when it is over', keys(current, next), period, ['promote b']],
    [
      'waits until every verifier knows the key',
      keys(current, signingKey('b', { state: 'next', publishedAt: period })),
      period + lead - 1,
      [],
    ],
    [
      'follows when every verifier knows it',
      keys(current, signingKey('b', { state: 'next', publishedAt: period })),
      period + lead,
      ['promote b'],
    ],
    ['gives a joining region its first key when that is eligible', keys(next), lead, ['promote b']],
    ['does not give it one before', keys(next), lead - 1, []],
  ])('%s', (_, state, now, expected) => {
    expect(planInShort(state, now)).toEqual(expected);
  });

  it('leaves a key that KMS will not sign with before its time', () => {
    const state = { ...keys(current, next), unusableKids: new Set(['a']) };
    expect(planInShort(state, lead - 1)).toEqual([]);
    expect(planInShort(state, lead)).toEqual(['promote b']);
  });

  it('never takes a key that KMS will not sign with', () => {
    const state = { ...keys(current, next), unusableKids: new Set(['b']) };
    expect(planInShort(state, period)).toEqual(['retire b', 'open_intent slc']);
  });
});

describe('a change of algorithm', () => {
  const choice = { alg: 'ES384', insteadOf: 'ES256', chosenAt: 1 } as const;
  const moving = (...all: RotationState['keys']) => ({ ...keys(...all), algorithmChoice: choice });
  const wanted = signingKey('c', { state: 'next', alg: 'ES384', publishedAt: 50 });

  const signs = signingKey('c', { alg: 'ES384', activatedAt: 50 });
  const after = signingKey('d', { state: 'next', alg: 'ES384', publishedAt: 60 });

  it.each([
    ['publishes a key of the new one', moving(current, next), 10, ['open_intent slc']],
    ['keeps the former next key meanwhile', moving(current, next, wanted), 50 + lead - 1, []],
    [
      'lets the new key sign when it may, and keeps the former next key for an emergency',
      moving(current, next, wanted),
      50 + lead,
      ['promote c'],
    ],
    [
      'keeps it until the key after that is eligible',
      moving(signs, next, after),
      60 + lead - 1,
      [],
    ],
    ['frees it then', moving(signs, next, after), 60 + lead, ['retire b']],
    [
      'keeps it while KMS refuses the new key, in case the proof of the one after that is refused',
      { ...moving(signs, next, after), unusableKids: new Set(['c']) },
      60 + lead,
      ['promote d', 'promote b'],
    ],
    [
      'lets a joining region sign with a former key rather than not at all',
      moving(next, wanted),
      lead,
      ['promote b'],
    ],
    [
      'lets it sign with a former key if the proof of the wanted one is refused',
      moving(next, wanted),
      50 + lead,
      ['promote c', 'promote b'],
    ],
    [
      'keeps one former key: the one whose lead ends first',
      moving(current, next, signingKey('e', { state: 'next', publishedAt: 5 })),
      10,
      ['retire e'],
    ],
  ])('%s', (_, state, now, expected) => {
    expect(planInShort(state, now)).toEqual(expected);
  });

  it.each([
    ['retires the next key of an algorithm that left the config', keys(current, wanted)],
    [
      'never lets that key sign, not even in an emergency',
      { ...keys(current, next, wanted), unusableKids: new Set(['a', 'b']) },
    ],
  ])('%s', (_, state) => {
    const actions = plan(state, { ...settings, algs: ['ES256'] }, 50 + lead);
    expect(actions).toContainEqual({ kind: 'retire', key: wanted, reason: 'superseded' });
    expect(actions).not.toContainEqual({ kind: 'promote', key: wanted });
  });

  it('ends with the deployment config that named the algorithm', () => {
    const state = { ...keys(current, next), algorithmChoice: choice };
    const elsewhere = { ...settings, algs: ['RS256', 'ES384', 'ES256'] } as const;
    expect(plan(state, elsewhere, 10)).toMatchObject([{ kind: 'open_intent', alg: 'RS256' }]);
  });

  it('ignores a chosen algorithm that the config does not allow any more', () => {
    const state = { ...keys(current, next), algorithmChoice: choice };
    expect(plan(state, { ...settings, algs: ['ES256'] }, 10)).toEqual([]);
  });
});

describe('creation', () => {
  const jwk = signingKey('b').publicJwk;
  const arn = 'arn:aws:kms:us-west-2:000000000000:key/b';
  const first = keyIntent({ slot: 'first', publicJwk: jwk, kmsKeyArn: arn });
  const mine = keyIntent({ holder: 'this run' });
  const oneKey = { keys: [current] };

  it.each([
    ["opens the issuer's first slot if there is nothing", {}, ['open_intent first']],
    ['opens the own slot if others have keys', oneKey, ['open_intent slc']],
    ['waits for the run that makes the first key', { intents: [keyIntent({ slot: 'first' })] }, []],
    [
      'publishes no key before the first one, which another region publishes',
      { intents: [{ ...first, regionId: 'dfw' as const }] },
      [],
    ],
    [
      'opens the own slot when the first key is published',
      { keys: [signingKey('b')], intents: [first] },
      ['open_intent slc'],
    ],
    ['waits for another run of the region', { ...oneKey, intents: [keyIntent()] }, []],
    ['makes the key of its own intent', { ...oneKey, intents: [mine] }, ['create_key intent']],
    [
      'reads the public half of the key that it made',
      { ...oneKey, intents: [{ ...mine, kmsKeyArn: arn }] },
      ['read_public_key intent'],
    ],
    [
      'asks for the publication of what any run of the region has made',
      { ...oneKey, intents: [keyIntent({ kmsKeyArn: arn, publicJwk: jwk })] },
      ['publish b'],
    ],
    [
      'frees the slot of a key that is published',
      { keys: [current, next], intents: [keyIntent({ kmsKeyArn: arn, publicJwk: jwk })] },
      ['close_intent b'],
    ],
  ])('%s', (_, state, expected) => {
    expect(planInShort(rotationState(state), 29)).toEqual(expected);
  });

  const claim = { kmsKeyArn: arn, publicJwk: jwk };
  it.each([
    ['a run that died', keyIntent(), 30, 'intent'],
    ['itself, to publish a key that it has made', keyIntent({ ...claim }), 30, 'b'],
    [
      'another region, whose first key it may not publish',
      { ...first, regionId: 'dfw' as const },
      30 + policy.propagationLag + 2 * policy.leeway,
      'b',
    ],
  ])('takes an intent over from %s, and not a second early', (_, intent, time, subject) => {
    const state = rotationState({ intents: [{ ...intent, slot: 'first' }] });
    expect(planInShort(state, time)).toEqual([`take_over_intent ${subject}`]);
    expect(planInShort(state, time - 1)).not.toEqual([`take_over_intent ${subject}`]);
  });
});

describe('retirement', () => {
  it('retires all but the key that was activated last', () => {
    const newer = signingKey('b', { activatedAt: 1 });
    expect(planInShort(keys(current, newer, signingKey('c', { state: 'next' })), 2)).toEqual([
      'retire a',
    ]);
  });

  it('retires a second next key, the younger one', () => {
    const second = signingKey('c', { state: 'next', publishedAt: 1 });
    expect(planInShort(keys(current, second, next), 2)).toEqual(['retire c']);
  });
});

describe('removal', () => {
  const withdrawAt = retention;
  const previous = signingKey('o', { state: 'previous', retiredAt: 0, withdrawAt });
  const withdrawn = signingKey('o', {
    state: 'withdrawn',
    withdrawnAt: 0,
    disableAt: oldestJwks(policy),
  });
  const disabled = signingKey('o', { state: 'disabled', disabledAt: 0 });

  it.each([
    ['withdraws after the retention', previous, withdrawAt, 'withdraw o'],
    ['disables when no cache can hold the key', withdrawn, oldestJwks(policy), 'disable o'],
    ['schedules the deletion after the delay', disabled, deletionDelay, 'schedule_deletion o'],
  ])('%s and not a second before', (_, key, time, expected) => {
    const state = keys(signingKey('a', { activatedAt: 100 }), next, key);
    expect(planInShort(state, time)).toEqual([expected]);
    expect(planInShort(state, time - 1)).toEqual([]);
  });

  it('follows the time that was recorded when the key retired, even if the policy has changed', () => {
    const state = keys(current, next, { ...previous, withdrawAt: 5 });
    expect(planInShort(state, 5)).toEqual(['withdraw o']);
  });

  it('leaves a previous key without a recorded time alone', () => {
    const state = keys(current, next, { ...previous, withdrawAt: undefined });
    expect(planInShort(state, period - 1)).toEqual([]);
  });
});

describe('the share of the JWKS', () => {
  const previous = (kid: string, withdrawAt: number) =>
    signingKey(kid, { state: 'previous', activatedAt: 0, withdrawAt });
  const later = period + retention;

  it.each([
    ['publishes no key without room', keys(current, previous('o', later), previous('p', later))],
    [
      'publishes no key that is made already',
      {
        ...keys(current, previous('o', later), previous('p', later)),
        intents: [keyIntent({ publicJwk: signingKey('n').publicJwk, kmsKeyArn: 'arn' })],
      },
    ],
    [
      'lets no key sign after which there would be no next one, and no room for it',
      keys(current, next, previous('o', later)),
    ],
  ])('%s', (_, state) => {
    expect(planInShort(state, period)).toEqual([]);
  });

  it('is there again when a key has left the JWKS, and not when its time has come', () => {
    const gone = previous('o', period);
    expect(planInShort(keys(current, next, gone), period)).toEqual(['withdraw o']);
    const withdrawn = signingKey('o', { state: 'withdrawn', disableAt: later });
    expect(planInShort(keys(current, next, withdrawn), period)).toEqual(['promote b']);
  });

  it('holds up nothing in a region that cannot sign', () => {
    const state = keys(current, next, previous('o', later));
    expect(planInShort({ ...state, unusableKids: new Set(['a']) }, lead)).toEqual(['promote b']);
    expect(planInShort(keys(next, previous('o', later), previous('p', later)), lead)).toEqual([
      'promote b',
    ]);
  });

  it("is not used up by other regions' keys", () => {
    const others = ['v', 'w', 'x', 'y'].map((kid) => signingKey(kid, { regionId: 'dfw' }));
    expect(planInShort(keys(current, ...others), period)).toEqual(['open_intent slc']);
  });

  it('grows with the maximum of the policy', () => {
    const larger = { ...settings, policy: { ...policy, jwksMaxKeys: 12 } };
    const state = keys(current, previous('o', later), previous('p', later));
    expect(plan(state, larger, period)).toMatchObject([{ kind: 'open_intent' }]);
  });
});

const later = 1_000_000;

/** Every state, with every time that would allow the step if the state did. */
const allTimes = { withdrawAt: 1, disableAt: 1, disabledAt: 1, deletionScheduledAt: 1 };

const guards = [
  ['withdrawn', 'previous', 'withdraw'],
  ['disabled', 'withdrawn', 'disable'],
  ['deleted', 'disabled', 'schedule_deletion'],
] as const;

const states = ['next', 'current', 'previous', 'withdrawn', 'disabled', 'deletion_scheduled'];

describe('the last check before a key is taken out of use', () => {
  it.each(
    guards.flatMap(([step, allowed, kind]) =>
      states
        .filter((state) => state !== allowed)
        .map((state) => [state as SigningKey['state'], step, kind] as const),
    ),
  )('refuses that a key which is %s is %s', (state, step, kind) => {
    const key = signingKey('k', { ...allTimes, state });
    expect(() => assertRemovable(kind, key, policy, later)).toThrow(
      new RetainedKeyError(
        `k is "${state}" and cannot be ${step}: its tokens may be in use; allowed never in its present state`,
      ),
    );
  });

  it.each([
    ['previous', { withdrawAt: 10 }, 'withdraw', 10],
    ['withdrawn', { disableAt: 10 }, 'disable', 10],
    ['disabled', { disabledAt: 10 }, 'schedule_deletion', 10 + policy.deletionDelay],
  ] as const)(
    'allows it for one which is %s at its time and not before',
    (state, times, kind, at) => {
      const key = signingKey('k', { ...times, state });
      expect(() => assertRemovable(kind, key, policy, at)).not.toThrow();
      expect(() => assertRemovable(kind, key, policy, at - 1)).toThrow(RetainedKeyError);
    },
  );
});
