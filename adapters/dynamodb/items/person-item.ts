import * as v from 'valibot';
import { maxNameLength, maxTrunkGroupLimit } from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { StoredPerson } from '../../../core/audit/person-name.ts';
import { type Item, parseItem, text, textUpTo, toAttributes, toItem } from './item.ts';

/** It has no version: each write replaces it whole. An erased one has no name and no groups. */
export const personSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.person),
  /** Of a sort key, DynamoDB takes 1,024 bytes. */
  record_id: textUpTo(1024),
  name: v.optional(textUpTo(maxNameLength)),
  trunk_groups: v.optional(v.pipe(v.array(text), v.maxLength(maxTrunkGroupLimit))),
  erased: v.optional(v.literal(true)),
});

export function parsePersonItem(item: Item): StoredPerson {
  const parsed = parseItem(personSchema, item, 'the name of', 'record_id');
  const { record_id: subject, name, trunk_groups: trunkGroups } = parsed;
  return name === undefined ? { subject, erased: true } : { subject, name, trunkGroups };
}

export function toPersonItem({ subject, ...person }: StoredPerson): Item {
  return toItem({
    record_type: settingRecordTypes.person,
    record_id: subject,
    ...toAttributes(person),
  });
}
