import type { Mutant } from './mutant.ts';

const eligibility = 'core/signing-key/eligibility.ts';
const proof = 'core/key-rotation/prove-key.ts';
const selection = 'core/signing-key/select-signing-key.ts';
const plan = 'core/key-rotation/plan.ts';
const policy = 'contract/signing-key-policy.ts';

/** Mistakes that show only if regions are cut off, clocks differ or the JWKS is full. */
export const partitionAndClockMutants: readonly Mutant[] = [
  {
    name: 'a key is eligible before it is proved',
    edits: [
      {
        file: eligibility,
        find: 'key.provedAt === undefined ? Number.POSITIVE_INFINITY : key.provedAt',
        replace: '(key.provedAt ?? 0)',
      },
    ],
  },
  {
    name: 'a key is proved when it is first seen',
    edits: [{ file: proof, find: 'return { seenAt: now };', replace: 'return { provedAt: now };' }],
  },
  {
    name: 'a proof does not wait for runs of the other regions',
    edits: [{ file: proof, find: 'haveRunSince(seenAt) ? {', replace: 'haveRunSince(0) ? {' }],
  },
  {
    name: 'a key that a region lost is as good as before',
    edits: [
      {
        file: proof,
        find: 'return isMissing && hasProof',
        replace: 'return isMissing && !hasProof && hasProof',
      },
    ],
  },
  {
    name: 'a previous key that was never eligible signs as a fallback',
    edits: [
      {
        file: selection,
        find: '(key.activatedAt !== undefined || eligibleAt(key, need) <= need.now) &&',
        replace: '',
      },
    ],
  },
  {
    name: 'a fallback key signs what lives until it leaves the JWKS',
    edits: [{ file: selection, find: 'need.expiresAt + need.leeway', replace: 'need.expiresAt' }],
  },
  {
    name: 'a key is chosen as if its token expired at once',
    edits: [{ file: selection, find: 'expiresAt: exp', replace: 'expiresAt: iat' }],
  },
  {
    name: 'no other key is tried if KMS refuses the first',
    edits: [
      {
        file: 'core/signing-key/sign-jws.ts',
        find: 'if (!(error instanceof SigningKeyUnusableError)) throw error;',
        replace: 'if (keys.length > 0) throw error;',
      },
    ],
  },
  {
    name: 'a joining region signs before its key is promoted',
    edits: [{ file: selection, find: 'if (!hasSigned) return [];', replace: '' }],
  },
  {
    name: 'a region that left the config is asked for a day',
    edits: [
      {
        file: 'core/key-rotation/regions-in-service.ts',
        find: 'at + silence > now',
        replace: 'at + Math.max(silence, 86_400) > now',
      },
    ],
  },
  {
    name: 'the former next key goes as soon as the new one is eligible',
    edits: [{ file: plan, find: 'isMoved && hasWanted', replace: 'hasWanted' }],
  },
  {
    name: 'a key is made without room in the JWKS',
    edits: [
      {
        file: 'core/key-rotation/plan-creation.ts',
        find: 'hasNext || findJwksRoom(state.keys, settings).isFull',
        replace: 'hasNext',
      },
    ],
  },
  {
    name: 'a key is published without room in the JWKS',
    edits: [
      {
        file: 'core/key-rotation/plan-creation.ts',
        find: 'if (isMade && findJwksRoom(state.keys, settings).isFull) return [];',
        replace: '',
      },
    ],
  },
  {
    name: 'a rotation leaves no room for the key after it',
    edits: [
      {
        file: plan,
        find: 'key !== undefined && explainHold(key, state, settings) === undefined',
        replace: 'key !== undefined',
      },
    ],
  },
  {
    name: 'a key leaves room in the JWKS when it stops signing',
    edits: [
      {
        file: 'core/key-rotation/jwks-room.ts',
        find: "new Set(['next', 'current', 'previous'])",
        replace: "new Set(['next', 'current'])",
      },
    ],
  },
  {
    name: 'the rotation trusts a clock that is ahead',
    edits: [
      {
        file: 'core/key-rotation/checked-clock.ts',
        find: 'behind > 0 || ahead > 0',
        replace: 'behind > 0',
      },
    ],
  },
  {
    name: 'the rotation trusts a clock that is behind',
    edits: [
      {
        file: 'core/key-rotation/checked-clock.ts',
        find: 'behind > 0 || ahead > 0',
        replace: 'ahead > 0',
      },
    ],
  },
  {
    name: 'the rotation hears no time of AWS',
    edits: [
      {
        file: 'adapters/record-server-dates.ts',
        find: 'if (!Number.isNaN(serverTime)) record(',
        replace: 'if (Number.isNaN(serverTime)) record(',
      },
    ],
  },
  {
    name: 'a region that has run later than now proves nothing',
    edits: [
      {
        file: 'core/key-rotation/reconcile.ts',
        find: 'if (later === undefined) return;',
        replace: 'if (later === undefined || later.at > 0) return;',
      },
    ],
  },
  {
    name: 'a key leaves the JWKS by the clock of one host',
    edits: [
      {
        file: 'core/jwks/jwks.ts',
        find: 'Number.isNaN(gatewayClock) ? ownClock : Math.min(ownClock, gatewayClock)',
        replace: 'Number.isNaN(gatewayClock) ? ownClock : Math.max(ownClock, gatewayClock)',
      },
    ],
  },
  {
    name: 'the lead leaves no room for clocks that differ',
    edits: [
      {
        file: policy,
        find: 'verifierCache + propagationLag + leeway;',
        replace: 'verifierCache + propagationLag;',
      },
    ],
  },
  {
    name: 'the retention leaves room for one clock that differs',
    edits: [{ file: policy, find: '2 * policy.leeway +', replace: 'policy.leeway +' }],
  },
  {
    name: "a policy may be shorter than the verifier's own cooldown",
    edits: [
      {
        file: policy,
        find: 'policy.verifierCache < cooldown',
        replace: 'policy.verifierCache < 0',
      },
    ],
  },
];
