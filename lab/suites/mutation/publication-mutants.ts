import type { Mutant } from './mutant.ts';

const custody = 'core/key-rotation/key-custody.ts';
const publication = 'core/key-rotation/publish-key.ts';
const functions = 'lib/functions/service-functions.ts';

/** Mistakes by which a key that others may sign with gets into the JWKS. */
export const publicationMutants: readonly Mutant[] = [
  {
    name: 'a key is published with any policy',
    edits: [
      {
        file: custody,
        find: 'if (!isSamePolicy(inspection.policy, keyPolicy)) {',
        replace: "if (isSamePolicy('{}', keyPolicy)) {",
      },
    ],
  },
  {
    name: 'a key is published with a grant',
    edits: [{ file: custody, find: "['grants', inspection.grants, 0],", replace: '' }],
  },
  {
    name: 'a key is published whose material may have copies',
    edits: [{ file: custody, find: "['Origin', origin, 'AWS_KMS'],", replace: '' }],
  },
  {
    name: 'the public key is taken from the intent',
    edits: [
      {
        file: publication,
        find: 'startKey(intent, intent.kmsKeyArn, publicJwk, now)',
        replace: 'startKey(intent, intent.kmsKeyArn, intent.publicJwk ?? publicJwk, now)',
      },
    ],
  },
  {
    name: 'a key is published after the lease of its intent',
    edits: [
      {
        file: publication,
        find: 'intent.leaseUntil + settings.leeway <= now',
        replace: 'intent.leaseUntil + settings.leeway < 0',
      },
    ],
  },
  {
    name: 'another region takes the first slot while its key is being published',
    edits: [
      {
        file: 'core/key-rotation/plan-creation.ts',
        find: 'isAboutToBePublished ? policy',
        replace: 'isAboutToBePublished && intent.closed ? policy',
      },
    ],
  },
  {
    name: 'a run keeps a key that someone has disabled',
    edits: [
      {
        file: 'core/key-rotation/execute-action.ts',
        find: "?.state === 'enabled'",
        replace: '!== undefined',
      },
    ],
  },
  {
    name: 'the rotation may add a signing key',
    edits: [
      {
        file: functions,
        find: 'onlyItems(records.intent, records.heartbeat, records.choice)',
        replace: 'onlyItems(records.intent, records.heartbeat, records.choice, records.key)',
      },
    ],
  },
  {
    name: 'the rotation may change what a signing key is',
    edits: [
      {
        file: functions,
        find: '...changedSigningKeyAttributes,',
        replace: "...changedSigningKeyAttributes, 'public_jwk', 'kms_key_arn',",
      },
    ],
  },
];
