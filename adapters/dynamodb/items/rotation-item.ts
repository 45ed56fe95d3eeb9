import * as v from 'valibot';
import { regionIds } from '../../../contract/regions.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { signingKeyRecordTypes } from '../../../contract/tables.ts';
import type { AlgorithmChoice } from '../../../core/key-rotation/rotation-ports.ts';
import { epochSeconds, type Item, partitionItem, text, version } from './item.ts';
import { kmsKeyArn, publicJwkSchema } from './signing-key-item.ts';
export const keyIntentItem = partitionItem({
  recordType: signingKeyRecordTypes.intent,
  idName: 'slot',
  id: v.picklist(['first', ...regionIds]),
  noun: 'key intent',
  entries: {
    intent_id: text,
    region_id: v.picklist(regionIds),
    alg: v.picklist(algs),
    holder: text,
    lease_until: epochSeconds,
    kms_key_arn: v.optional(kmsKeyArn),
    public_jwk: v.optional(publicJwkSchema),
    closed: v.boolean(),
    version,
  },
});

export const heartbeatItem = partitionItem({
  recordType: signingKeyRecordTypes.heartbeat,
  idName: 'regionId',
  id: v.picklist(regionIds),
  noun: 'heartbeat',
  entries: { at: epochSeconds },
});

export const canaryRunItem = partitionItem({
  recordType: signingKeyRecordTypes.canary,
  idName: 'regionId',
  id: v.picklist(regionIds),
  noun: 'canary run',
  entries: {
    at: epochSeconds,
    problem: v.optional(v.string()),
    self_test_problem: v.optional(v.string()),
  },
});

const storedChoice = partitionItem({
  recordType: signingKeyRecordTypes.choice,
  idName: 'id',
  id: v.literal('algorithm'),
  noun: 'the choice of',
  entries: { alg: v.picklist(algs), instead_of: v.picklist(algs), chosen_at: epochSeconds },
});

/** There is one. */
export const algorithmChoiceItem = {
  ...storedChoice,
  parse: (item: Item): AlgorithmChoice => {
    const { id: _, ...choice } = storedChoice.parse(item);
    return choice;
  },
  toItem: (choice: AlgorithmChoice): Item => storedChoice.toItem({ id: 'algorithm', ...choice }),
};
