import * as v from 'valibot';
import { maxLimitedItems, maxLimitProviders, maxOwnProviders } from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toAttributes,
  toReadableItem,
  toRecord,
  urlText,
  version,
  wholeNumber,
} from './item.ts';

const count = v.optional(wholeNumber(0, maxLimitedItems));
const seconds = v.optional(wholeNumber(1, Number.POSITIVE_INFINITY));
/** A catalogue of scopes is a part of a deployment config: it has hundreds at most. */
const maxScopes = 10_000;

export const trunkGroupLimitsSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.limits),
  /** The service trunk group. */
  record_id: text,
  schema_version: schemaVersion,
  scopes: v.optional(v.pipe(v.array(text), v.maxLength(maxScopes))),
  max_clients: count,
  max_api_keys: count,
  max_token_lifetime: seconds,
  max_secret_lifetime: seconds,
  max_api_key_lifetime: seconds,
  require_subnet: v.optional(v.boolean()),
  require_api_key_scopes: v.optional(v.boolean()),
  providers: v.optional(v.pipe(v.array(urlText), v.maxLength(maxLimitProviders))),
  own_providers: v.optional(wholeNumber(0, maxOwnProviders)),
  version,
  updated_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseTrunkGroupLimitsItem(item: Item): TrunkGroupLimits {
  const {
    record_type: _type,
    schema_version: _version,
    record_id: serviceTrunkGroup,
    ...limits
  } = parseItem(trunkGroupLimitsSchema, item, 'limits of trunk group', 'record_id');
  return { serviceTrunkGroup, ...toRecord(limits) };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toTrunkGroupLimitsItem({ serviceTrunkGroup, ...limits }: TrunkGroupLimits): Item {
  return toReadableItem(parseTrunkGroupLimitsItem, {
    record_type: settingRecordTypes.limits,
    record_id: serviceTrunkGroup,
    schema_version: 1,
    ...toAttributes(limits),
  });
}
