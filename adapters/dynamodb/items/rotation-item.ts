import * as v from 'valibot';
import { regionIds } from '../../../contract/regions.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { signingKeyRecordTypes } from '../../../contract/tables.ts';
import type {
  AlgorithmChoice,
  Heartbeat,
  KeyIntent,
} from '../../../core/key-rotation/rotation-state.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toAttributes,
  toItem,
  toRecord,
  version,
} from './item.ts';
import { kmsKeyArn, publicJwkSchema } from './signing-key-item.ts';

const algorithmChoiceId = 'algorithm';

export const intentSchema = v.strictObject({
  record_type: v.literal(signingKeyRecordTypes.intent),
  record_id: v.picklist(['first', ...regionIds]),
  schema_version: schemaVersion,
  intent_id: text,
  region_id: v.picklist(regionIds),
  alg: v.picklist(algs),
  holder: text,
  lease_until: epochSeconds,
  kms_key_arn: v.optional(kmsKeyArn),
  public_jwk: v.optional(publicJwkSchema),
  closed: v.boolean(),
  version,
});

export const heartbeatSchema = v.strictObject({
  record_type: v.literal(signingKeyRecordTypes.heartbeat),
  record_id: v.picklist(regionIds),
  schema_version: schemaVersion,
  at: epochSeconds,
});

export const choiceSchema = v.strictObject({
  record_type: v.literal(signingKeyRecordTypes.choice),
  record_id: v.literal(algorithmChoiceId),
  schema_version: schemaVersion,
  alg: v.picklist(algs),
  instead_of: v.picklist(algs),
  chosen_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseKeyIntentItem(item: Item): KeyIntent {
  const {
    record_type: _type,
    schema_version: _version,
    record_id: slot,
    ...intent
  } = parseItem(intentSchema, item, 'key intent', 'record_id');
  return { slot, ...toRecord(intent) };
}

export function toKeyIntentItem({ slot, ...intent }: KeyIntent): Item {
  return toItem({
    record_type: signingKeyRecordTypes.intent,
    record_id: slot,
    schema_version: 1,
    ...toAttributes(intent),
  } satisfies v.InferInput<typeof intentSchema>);
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseHeartbeatItem(item: Item): Heartbeat {
  const record = parseItem(heartbeatSchema, item, 'heartbeat', 'record_id');
  return { regionId: record.record_id, at: record.at };
}

export function toHeartbeatItem({ regionId, at }: Heartbeat): Item {
  return toItem({
    record_type: signingKeyRecordTypes.heartbeat,
    record_id: regionId,
    schema_version: 1,
    at,
  } satisfies v.InferInput<typeof heartbeatSchema>);
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseAlgorithmChoiceItem(item: Item): AlgorithmChoice {
  const record = parseItem(choiceSchema, item, 'the choice of', 'record_id');
  return { alg: record.alg, insteadOf: record.instead_of, chosenAt: record.chosen_at };
}

export function toAlgorithmChoiceItem(choice: AlgorithmChoice): Item {
  return toItem({
    record_type: signingKeyRecordTypes.choice,
    record_id: algorithmChoiceId,
    schema_version: 1,
    ...toAttributes(choice),
  } satisfies v.InferInput<typeof choiceSchema>);
}
