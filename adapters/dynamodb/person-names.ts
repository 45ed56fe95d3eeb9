import * as v from 'valibot';
import { maxNameLength, maxTrunkGroupLimit } from '../../contract/limits.ts';
import { settingRecordTypes, tables } from '../../contract/tables.ts';
import type { PersonName, PersonNameStore } from '../../core/audit/person-name.ts';
import { callAws, unlessConditionFails } from '../aws-errors.ts';
import type { DynamoDbDocuments } from './dynamodb-calls.ts';
import { type Item, parseItem, text, textUpTo, toAttributes, toItem } from './item.ts';
import { openRecordPartition } from './record-partition.ts';
import type { StoreOptions } from './store-options.ts';

const { sortKey } = tables.settings;

/** It has no version: each write replaces it whole. An erased one has no name and no groups. */
export const personNameSchema = v.strictObject({
  record_type: v.literal(settingRecordTypes.person),
  /** Of a sort key, DynamoDB takes 1,024 bytes. */
  record_id: textUpTo(1024),
  name: v.optional(textUpTo(maxNameLength)),
  trunk_groups: v.optional(v.pipe(v.array(text), v.maxLength(maxTrunkGroupLimit))),
  erased: v.optional(v.literal(true)),
});

/**
 * @returns undefined if the name was erased.
 * @throws {MalformedRecordError} see {@link parseItem}.
 */
export function parsePersonNameItem(item: Item): PersonName | undefined {
  const parsed = parseItem(personNameSchema, item, 'the name of', sortKey);
  const { record_id: subject, name, trunk_groups: trunkGroups } = parsed;
  return name === undefined ? undefined : { subject, name, trunkGroups };
}

interface ErasedPerson {
  readonly subject: string;
  readonly erased: true;
}

export function toPersonNameItem({ subject, ...person }: PersonName | ErasedPerson): Item {
  return toItem({
    record_type: settingRecordTypes.person,
    record_id: subject,
    ...toAttributes(person),
  });
}

/** Names of people in DynamoDB: a partition of the table of settings. */
export function createDynamoDbPersonNameStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): PersonNameStore {
  const partition = { table, recordType: settingRecordTypes.person };
  const { findReadable } = openRecordPartition(dynamodb, partition, store);
  const put = async (person: PersonName | ErasedPerson, condition = {}) => {
    const input = { TableName: table, Item: toPersonNameItem(person), ...condition };
    await callAws('DynamoDB', 'write the name of a person', () => dynamodb.put(input));
  };
  return {
    findPersonNames: (subjects) => findReadable(subjects, parsePersonNameItem),
    recordPersonName: async (person) => {
      const { name, trunkGroups } = person;
      const hasOtherGroups =
        trunkGroups === undefined ? 'attribute_exists(trunk_groups)' : 'NOT trunk_groups = :groups';
      const condition = {
        ConditionExpression: `attribute_not_exists(erased) AND (NOT #name = :name OR ${hasOtherGroups})`,
        // It is a reserved word.
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':name': name, ':groups': trunkGroups },
      };
      await unlessConditionFails(put(person, condition));
    },
    erasePersonName: (subject) => put({ subject, erased: true }),
  };
}
