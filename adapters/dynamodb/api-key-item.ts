import * as v from 'valibot';
import {
  maxNameLength,
  maxServiceTrunkGroupLength,
  maxSubnetsPerApiKey,
} from '../../contract/limits.ts';
import type { ApiKey } from '../../core/api-key/api-key.ts';
import { addressBits, parseIpAddress } from '../../core/network/ip-address.ts';
import {
  epochSeconds,
  hashText,
  type Item,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toItem,
  version,
} from './item.ts';

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
  name,
  enabled: v.boolean(),
  service_trunk_group: textUpTo(maxServiceTrunkGroupLength),
  subnets: v.pipe(v.array(subnetSchema), v.maxLength(maxSubnetsPerApiKey)),
  // Written by the next release (ADR 0048). A key that has it keeps it.
  expires_at: v.optional(epochSeconds),
  version,
  created_at: epochSeconds,
  updated_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseApiKeyItem(item: Item): ApiKey {
  const record = parseItem(apiKeySchema, item, 'API key', 'key_id');
  return {
    keyId: record.key_id,
    hash: record.hash,
    name: record.name,
    enabled: record.enabled,
    serviceTrunkGroup: record.service_trunk_group,
    subnets: record.subnets.map((subnet) => ({
      subnetId: subnet.subnet_id,
      name: subnet.name,
      address: subnet.address,
      prefixLength: subnet.prefix_length,
    })),
    expiresAt: record.expires_at,
    version: record.version,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toApiKeyItem(key: ApiKey): Item {
  const item = toItem({
    key_id: key.keyId,
    schema_version: 1,
    hash: key.hash,
    name: key.name,
    enabled: key.enabled,
    service_trunk_group: key.serviceTrunkGroup,
    subnets: key.subnets.map((subnet) => ({
      subnet_id: subnet.subnetId,
      name: subnet.name,
      address: subnet.address,
      prefix_length: subnet.prefixLength,
    })),
    expires_at: key.expiresAt,
    version: key.version,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  } satisfies v.InferInput<typeof apiKeySchema>);
  parseApiKeyItem(item);
  return item;
}
