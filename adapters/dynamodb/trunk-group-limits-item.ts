import * as v from 'valibot';
import { maxLimitedItems, maxLimitProviders } from '../../contract/limits.ts';
import { trunkGroupLimitsRecordType } from '../../contract/tables.ts';
import type { TrunkGroupLimits } from '../../core/trunk-group/trunk-group-limits.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toItem,
  urlText,
  version,
  wholeNumber,
} from './item.ts';

const count = v.optional(wholeNumber(0, maxLimitedItems));
const seconds = v.optional(wholeNumber(1, Number.POSITIVE_INFINITY));
/** A catalogue of scopes is a part of a deployment config: it has hundreds at most. */
const maxScopes = 10_000;

export const trunkGroupLimitsSchema = v.strictObject({
  record_type: v.literal(trunkGroupLimitsRecordType),
  /** The service trunk group. */
  record_id: text,
  schema_version: schemaVersion,
  scopes: v.optional(v.pipe(v.array(text), v.maxLength(maxScopes))),
  max_clients: count,
  max_api_keys: count,
  max_token_lifetime: seconds,
  max_secret_lifetime: seconds,
  require_subnet: v.optional(v.boolean()),
  providers: v.optional(v.pipe(v.array(urlText), v.maxLength(maxLimitProviders))),
  version,
  updated_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseTrunkGroupLimitsItem(item: Item): TrunkGroupLimits {
  const record = parseItem(trunkGroupLimitsSchema, item, 'limits of trunk group', 'record_id');
  return {
    serviceTrunkGroup: record.record_id,
    scopes: record.scopes,
    maxClients: record.max_clients,
    maxApiKeys: record.max_api_keys,
    maxTokenLifetime: record.max_token_lifetime,
    maxSecretLifetime: record.max_secret_lifetime,
    requireSubnet: record.require_subnet,
    providers: record.providers,
    version: record.version,
    updatedAt: record.updated_at,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toTrunkGroupLimitsItem(limits: TrunkGroupLimits): Item {
  const item = toItem({
    record_type: trunkGroupLimitsRecordType,
    record_id: limits.serviceTrunkGroup,
    schema_version: 1,
    scopes: limits.scopes,
    max_clients: limits.maxClients,
    max_api_keys: limits.maxApiKeys,
    max_token_lifetime: limits.maxTokenLifetime,
    max_secret_lifetime: limits.maxSecretLifetime,
    require_subnet: limits.requireSubnet,
    providers: limits.providers,
    version: limits.version,
    updated_at: limits.updatedAt,
  });
  parseTrunkGroupLimitsItem(item);
  return item;
}
