import { tables } from '../../../contract/tables.ts';
import type { PersonName, PersonNameStore, StoredPerson } from '../../../core/audit/person-name.ts';
import {
  type GrantKind,
  type GrantList,
  withoutGrants,
} from '../../../core/identity-provider/grant.ts';
import type { RecordStore } from '../../../core/record-store.ts';
import {
  type TrunkGroupLimits,
  withoutLimits,
} from '../../../core/trunk-group/trunk-group-limits.ts';
import { callAws, unlessConditionFails } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { settingItems } from '../items/setting-items.ts';
import { queryPage } from '../pages/read-page.ts';
import { findItem, parseOrReport, type StoreOptions } from './read-items.ts';
import { following, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.settings;

/** Reads at the same time: a list of 100 own providers takes seven rounds. */
const readsAtOnce = 16;

/** The table of settings, and how it is read. */
interface SettingsTable {
  readonly dynamodb: DynamoDbDocuments;
  readonly table: string;
  readonly store: StoreOptions;
}

/** A kind of records: {@link settingItems}. */
interface RecordKind<T> {
  readonly recordType: string;
  readonly parse: (item: Item) => T;
  readonly toItem: (record: T) => Item;
}

/** Reads of one partition. */
function readRecords<T extends object>(
  { dynamodb, table, store }: SettingsTable,
  { recordType, parse }: RecordKind<T>,
): Omit<RecordStore<T>, 'put'> {
  const read = (id: string) => {
    const key = { [partitionKey]: recordType, [sortKey]: id };
    return findItem(dynamodb, { table, key, consistentRead: store.consistentRead });
  };
  return {
    find: async (id) => {
      const item = await read(id);
      return item && parse(item);
    },
    findEach: async (ids) => {
      const found = new Map<string, T>();
      const rest = ids.values();
      const work = async () => {
        for (const id of rest) {
          const item = await read(id);
          const record = item && parseOrReport(item, parse, store);
          if (record !== undefined) found.set(id, record);
        }
      };
      await Promise.all(Array.from({ length: readsAtOnce }, work));
      return found;
    },
    readPage: ({ limit, after }) =>
      queryPage(
        dynamodb,
        { table, partitionKey, sortKey, value: recordType, limit, after, parse },
        store,
      ),
  };
}

/** @param nameOf what a write is about, for errors: `the owner of …`. */
function openRecords<T extends { readonly version: number }>(
  settings: SettingsTable,
  kind: RecordKind<T>,
  nameOf: (record: T) => string,
  conflict = 'it was changed meanwhile',
): RecordStore<T> {
  const { dynamodb, table } = settings;
  return {
    ...readRecords(settings, kind),
    put: async (record) => {
      const item = kind.toItem(record);
      const key = { [partitionKey]: kind.recordType, [sortKey]: String(item[sortKey]) };
      const condition = following(partitionKey, record.version);
      const doing = `change ${nameOf(record)}`;
      return putItem(dynamodb, item, { table, key, condition, doing, conflict });
    },
  };
}

/** A store that finds a record without content if nothing is stored. */
function filled<T>(store: RecordStore<T>, missing: (id: string) => T): RecordStore<T, never> {
  return { ...store, find: async (id) => (await store.find(id)) ?? missing(id) };
}

function openGrants(settings: SettingsTable, kind: GrantKind): RecordStore<GrantList, never> {
  const nameOf = ({ place }: GrantList) => `what is granted at "${place}"`;
  const records = openRecords(settings, settingItems[kind], nameOf);
  return filled(records, (place) => withoutGrants(kind, place));
}

function openPersonNames(settings: SettingsTable): PersonNameStore {
  const { dynamodb, table } = settings;
  const people = readRecords(settings, settingItems.person);
  const put = async (person: StoredPerson, condition = {}) => {
    const input = { TableName: table, Item: settingItems.person.toItem(person), ...condition };
    await callAws('DynamoDB', 'write the name of a person', () => dynamodb.put(input));
  };
  return {
    findPersonNames: async (subjects) => {
      const found = await people.findEach(subjects);
      const named = (person: StoredPerson): readonly PersonName[] =>
        'erased' in person ? [] : [person];
      return new Map([...found.values()].flatMap(named).map((person) => [person.subject, person]));
    },
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

/** What the staff allows trunk groups, and the names of people, in DynamoDB. */
export function createDynamoDbSettings(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
) {
  const settings = { dynamodb, table, store };
  const limits = openRecords<TrunkGroupLimits>(
    settings,
    settingItems.limits,
    ({ serviceTrunkGroup }) => `the limits of trunk group "${serviceTrunkGroup}"`,
    'they were changed meanwhile',
  );
  return {
    trunkGroupLimits: filled(limits, withoutLimits),
    providerOwners: openRecords(
      settings,
      settingItems.owner,
      ({ issuer }) => `the owner of the provider "${issuer}"`,
    ),
    subjectGrants: openGrants(settings, 'subject'),
    issuerGrants: openGrants(settings, 'issuer'),
    personNames: openPersonNames(settings),
  };
}
