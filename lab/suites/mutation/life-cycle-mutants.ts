import type { Mutant } from './mutant.ts';

const eligibility = 'core/signing-key/eligibility.ts';
const signingKey = 'core/signing-key/signing-key.ts';
const plan = 'core/key-rotation/plan.ts';
const guard = 'core/key-rotation/removal-guard.ts';
const execute = 'core/key-rotation/execute-action.ts';

/** Mistakes in the life of signing keys. Each has taken some authorization server down. */
export const lifeCycleMutants: readonly Mutant[] = [
  {
    name: 'a key signs as soon as it is published',
    edits: [
      {
        file: eligibility,
        find: 'key.provedAt + publicationLead;',
        replace: 'key.provedAt;',
      },
    ],
  },
  {
    name: 'the JWKS is kept until the next rotation',
    edits: [
      {
        file: signingKey,
        find: "return key.state === 'previous' && (key.withdrawAt === undefined || now < key.withdrawAt);",
        replace: "return key.state === 'previous';",
      },
    ],
  },
  {
    name: 'the JWKS is made once and never again',
    edits: [
      {
        file: 'core/signing-key/signing-key-cache.ts',
        find: 'return !isYoung && !hasJustFailed;',
        replace: 'return this.#keys === undefined;',
      },
    ],
  },
  {
    name: 'a retained key is deleted',
    edits: [
      {
        file: plan,
        find: 'const isOver = (time: number | undefined) => time !== undefined && time <= now;',
        replace: 'const isOver = (time: number | undefined) => time !== undefined && now > 0;',
      },
      {
        file: guard,
        find: 'return time !== undefined && time <= now;',
        replace: 'return time !== undefined && now > 0;',
      },
    ],
  },
  {
    name: 'the last check before a removal is left out',
    edits: [
      {
        file: guard,
        find: 'return time !== undefined && time <= now;',
        replace: 'return time !== undefined && now > 0;',
      },
    ],
  },
  {
    name: 'a key is withdrawn while its last tokens live',
    edits: [
      {
        file: execute,
        find: 'retiredAt + settings.policy.retention',
        replace: 'retiredAt + settings.policy.propagationLag',
      },
    ],
  },
  {
    name: 'the JWKS forgets the other regions',
    edits: [
      {
        file: 'core/jwks/jwks.ts',
        find: '.filter((key) => isPublished(key, now))',
        replace: ".filter((key) => isPublished(key, now) && key.regionId !== 'pit')",
      },
    ],
  },
  {
    name: 'the proof forgets the other regions',
    edits: [
      {
        file: 'core/key-rotation/regions-in-service.ts',
        find: 'return [...new Set([own, ...others])];',
        replace: 'return others.length > 9 ? others : [own];',
      },
    ],
  },
  {
    name: 'signing is by alias',
    edits: [
      {
        file: 'adapters/kms/sign-with-key.ts',
        find: 'KeyId: key.kmsKeyArn,',
        replace: "KeyId: 'alias/signing-key',",
      },
    ],
  },
  {
    name: 'signing accepts any key that KMS used',
    edits: [
      {
        file: 'adapters/kms/sign-with-key.ts',
        find: 'if (KeyId !== key.kmsKeyArn || Signature === undefined) {',
        replace: 'if (Signature === undefined) {',
      },
    ],
  },
  {
    name: "every region's first key signs at once",
    edits: [
      {
        file: 'core/key-rotation/publish-key.ts',
        find: "slot === 'first'",
        replace: "slot !== 'dfw'",
      },
    ],
  },
  {
    name: 'a promotion needs no proof',
    edits: [
      {
        file: 'core/key-rotation/reconcile.ts',
        find: "if (action.kind === 'promote') await proveKey(action.key, state, context);",
        replace: '',
      },
    ],
  },
  {
    name: 'a run makes a key without looking for one that was left behind',
    edits: [
      {
        file: 'core/key-rotation/create-key.ts',
        find: 'adopted?.kmsKeyArn ?? (await',
        replace: '(adopted, await',
      },
    ],
  },
  {
    name: 'a next key is only published when it is needed',
    edits: [
      {
        file: 'core/key-rotation/plan-creation.ts',
        find: 'if (hasNext ||',
        replace: 'if (hasNext || now % 7 !== 0 ||',
      },
    ],
  },
  {
    name: 'a key that was replaced early signs only when the list of keys is due',
    edits: [
      {
        file: 'core/signing-key/sign-jws.ts',
        find: 'await choose(refusedListAge)',
        replace: 'await choose()',
      },
    ],
  },
  {
    name: 'an operator who asks twice rotates twice',
    edits: [
      {
        file: plan,
        find: '.filter((key) => eligibleAt(key, settings.policy) <= now)',
        replace: '.filter((key) => key.publishedAt <= now)',
      },
    ],
  },
];
