import * as v from 'valibot';
import {
  maxExternalIdLength,
  maxGrantListBytes,
  maxProviderUrlLength,
  maxTrunkGroupLimit,
} from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { GrantList } from '../../../core/identity-provider/grant.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toReadableItem,
  version,
} from './item.ts';

const trunkGroups = v.pipe(v.array(text), v.minLength(1), v.maxLength(maxTrunkGroupLimit));

/** Of one grant as JSON. */
const leastBytes = 30;

function grantsOf(maxValueLength: number) {
  return v.pipe(
    v.array(v.strictObject({ value: textUpTo(maxValueLength), service_trunk_groups: trunkGroups })),
    v.maxLength(maxGrantListBytes / leastBytes),
  );
}

const ofList = {
  /** The issuer of subject grants, the host of issuer grants. */
  record_id: textUpTo(maxProviderUrlLength),
  schema_version: schemaVersion,
  version,
  updated_at: epochSeconds,
};

export const subjectGrantsSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.subject),
  ...ofList,
  grants: grantsOf(maxExternalIdLength),
});

export const issuerGrantsSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.issuer),
  ...ofList,
  grants: grantsOf(maxProviderUrlLength),
});

const schemas = { subject: subjectGrantsSchema, issuer: issuerGrantsSchema };
const nouns = { subject: 'client ids granted at', issuer: 'issuers granted at' };

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseGrantListItem(kind: GrantList['kind'], item: Item): GrantList {
  const record = parseItem(schemas[kind], item, nouns[kind], 'record_id');
  return {
    kind,
    place: record.record_id,
    grants: record.grants.map(({ value, service_trunk_groups }) => ({
      value,
      trunkGroups: service_trunk_groups,
    })),
    version: record.version,
    updatedAt: record.updated_at,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toGrantListItem({ kind, place, grants, ...list }: GrantList): Item {
  return toReadableItem((item) => parseGrantListItem(kind, item), {
    record_type: settingRecordTypes[kind],
    record_id: place,
    schema_version: 1,
    grants: grants.map((grant) => ({
      value: grant.value,
      service_trunk_groups: [...grant.trunkGroups],
    })),
    version: list.version,
    updated_at: list.updatedAt,
  });
}
