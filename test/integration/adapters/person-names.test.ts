import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDynamoDbSettings } from '../../../adapters/dynamodb/stores/setting-stores.ts';
import type { PersonNameStore } from '../../../core/audit/person-name.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';

const ada = 'https://login.example.com#ada';
const grace = 'https://login.example.com#grace';

let tables: TestTables;
let store: PersonNameStore;
let malformed: unknown[] = [];

beforeAll(async () => {
  tables = await startTables();
  store = createDynamoDbSettings(tables.dynamodb, tables.nameOf('settings'), {
    consistentRead: true,
    onMalformedRecord: (error) => malformed.push(error),
  }).personNames;
});
afterAll(() => tables.close());

beforeEach(async () => {
  malformed = [];
  await tables.empty('settings');
});

const find = async () => [...(await store.findPersonNames([ada, grace])).values()];

it('the name of a person is the one that was written last, with the trunk groups', async () => {
  const people = [
    { subject: ada, name: 'Ada', trunkGroups: ['tg-1'] },
    { subject: ada, name: 'Ada', trunkGroups: ['tg-1', 'tg-2'] },
    { subject: ada, name: 'Ada King', trunkGroups: ['tg-1', 'tg-2'] },
    { subject: ada, name: 'Ada King' },
    { subject: ada, name: 'Ada King', trunkGroups: [] },
  ];
  for (const person of people) {
    await store.recordPersonName(person);
    await store.recordPersonName(person);
    expect(await find()).toEqual([person]);
  }
});

it('an erased name is never written again, and others are', async () => {
  await store.recordPersonName({ subject: ada, name: 'Ada' });
  await store.erasePersonName(ada);
  await store.erasePersonName(ada);
  await store.recordPersonName({ subject: ada, name: 'Ada', trunkGroups: ['tg-1'] });
  await store.recordPersonName({ subject: grace, name: 'Grace' });
  expect(await find()).toEqual([{ subject: grace, name: 'Grace' }]);
  const { Items } = await tables.dynamodb.scan({ TableName: tables.nameOf('settings') });
  expect(JSON.stringify(Items)).not.toContain('Ada');
});

it('a record that cannot be read is no name, and is reported', async () => {
  const Item = { record_type: 'person', record_id: ada, name: 'Ada', role: 'staff' };
  await tables.dynamodb.put({ TableName: tables.nameOf('settings'), Item });
  expect(await find()).toEqual([]);
  expect(malformed).toHaveLength(1);
});
