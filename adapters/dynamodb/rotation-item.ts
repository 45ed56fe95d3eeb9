import * as v from 'valibot';
import { regionIds } from '../../contract/regions.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import { signingKeyRecordTypes } from '../../contract/tables.ts';
import type {
  AlgorithmChoice,
  Heartbeat,
  KeyIntent,
} from '../../core/key-rotation/rotation-state.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toItem,
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
  const record = parseItem(intentSchema, item, 'key intent', 'record_id');
  return {
    slot: record.record_id,
    intentId: record.intent_id,
    regionId: record.region_id,
    alg: record.alg,
    holder: record.holder,
    leaseUntil: record.lease_until,
    kmsKeyArn: record.kms_key_arn,
    publicJwk: record.public_jwk,
    closed: record.closed,
    version: record.version,
  };
}

export function toKeyIntentItem(intent: KeyIntent): Item {
  return toItem({
    record_type: signingKeyRecordTypes.intent,
    record_id: intent.slot,
    schema_version: 1,
    intent_id: intent.intentId,
    region_id: intent.regionId,
    alg: intent.alg,
    holder: intent.holder,
    lease_until: intent.leaseUntil,
    kms_key_arn: intent.kmsKeyArn,
    public_jwk: intent.publicJwk,
    closed: intent.closed,
    version: intent.version,
  } satisfies v.InferInput<typeof intentSchema>);
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseHeartbeatItem(item: Item): Heartbeat {
  const record = parseItem(heartbeatSchema, item, 'heartbeat', 'record_id');
  return { regionId: record.record_id, at: record.at };
}

export function toHeartbeatItem(heartbeat: Heartbeat): Item {
  return toItem({
    record_type: signingKeyRecordTypes.heartbeat,
    record_id: heartbeat.regionId,
    schema_version: 1,
    at: heartbeat.at,
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
    alg: choice.alg,
    instead_of: choice.insteadOf,
    chosen_at: choice.chosenAt,
  } satisfies v.InferInput<typeof choiceSchema>);
}
