import * as v from 'valibot';
import { maxTrunkGroupLimit } from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { ProviderOwner } from '../../../core/identity-provider/identity-provider.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toReadableItem,
  urlText,
  version,
} from './item.ts';

export const providerOwnerSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.owner),
  /** The id of the registration. */
  record_id: text,
  schema_version: schemaVersion,
  issuer: urlText,
  service_trunk_groups: v.pipe(v.array(text), v.maxLength(maxTrunkGroupLimit)),
  version,
  updated_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseProviderOwnerItem(item: Item): ProviderOwner {
  const record = parseItem(providerOwnerSchema, item, 'owner of a provider', 'record_id');
  return {
    registrationId: record.record_id,
    issuer: record.issuer,
    trunkGroups: record.service_trunk_groups,
    version: record.version,
    updatedAt: record.updated_at,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toProviderOwnerItem(owner: ProviderOwner): Item {
  return toReadableItem(parseProviderOwnerItem, {
    record_type: settingRecordTypes.owner,
    record_id: owner.registrationId,
    schema_version: 1,
    issuer: owner.issuer,
    service_trunk_groups: [...owner.trunkGroups],
    version: owner.version,
    updated_at: owner.updatedAt,
  } satisfies v.InferInput<typeof providerOwnerSchema>);
}
