import * as v from 'valibot';
import {
  maxNameLength,
  maxOldValues,
  maxRotationIds,
  maxServiceTrunkGroupLength,
  maxSubnetsPerApiKey,
} from '../../../contract/bounds.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import { addressBits, parseIpAddress } from '../../../core/network/ip-address.ts';
import { scopeTokens } from './client-item.ts';
import {
  epochSeconds,
  hashText,
  type Item,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toAttributes,
  toReadableItem,
  toRecord,
  version,
} from './item.ts';
import { stops } from './stops.ts';

const name = textUpTo(maxNameLength);

/** /0 would accept every source, which an empty list already means. */
function isPrefixOfAddress(subnet: {
  readonly address: string;
  readonly prefix_length: number;
}): boolean {
  const address = parseIpAddress(subnet.address);
  return (
    address !== undefined &&
    subnet.prefix_length >= 1 &&
    subnet.prefix_length <= addressBits(address)
  );
}

const subnetSchema = v.pipe(
  v.strictObject({
    subnet_id: text,
    name,
    address: text,
    prefix_length: v.pipe(v.number(), v.safeInteger()),
  }),
  v.check((subnet) => isPrefixOfAddress(subnet), 'an IP address and a prefix of it'),
);

export const apiKeySchema = v.strictObject({
  key_id: text,
  schema_version: schemaVersion,
  hash: hashText,
  value_id: v.optional(text),
  old_values: v.optional(
    v.pipe(
      v.array(v.strictObject({ value_id: text, hash: hashText, expires_at: epochSeconds })),
      v.minLength(1),
      v.maxLength(maxOldValues),
    ),
  ),
  rotation_ids: v.optional(v.pipe(v.array(text), v.minLength(1), v.maxLength(maxRotationIds))),
  name,
  stops,
  service_trunk_group: textUpTo(maxServiceTrunkGroupLength),
  subnets: v.pipe(v.array(subnetSchema), v.maxLength(maxSubnetsPerApiKey)),
  scopes: v.optional(v.pipe(scopeTokens, v.minLength(1))),
  expires_at: v.optional(epochSeconds),
  version,
  created_at: epochSeconds,
  updated_at: epochSeconds,
});

export function parseApiKeyItem(item: Item): ApiKey {
  const {
    schema_version: _,
    old_values: old,
    ...key
  } = parseItem(apiKeySchema, item, 'API key', 'key_id');
  return {
    ...toRecord(key),
    subnets: key.subnets.map(toRecord),
    ...(old && { oldValues: old.map(toRecord) }),
  };
}

export function toApiKeyItem(key: ApiKey): Item {
  const subnets = key.subnets.map(toAttributes);
  return toReadableItem(parseApiKeyItem, {
    ...toAttributes(key),
    schema_version: 1,
    subnets,
    scopes: key.scopes && [...key.scopes],
    rotation_ids: key.rotationIds && [...key.rotationIds],
    old_values: key.oldValues?.map(toAttributes),
  } satisfies v.InferInput<typeof apiKeySchema>);
}
