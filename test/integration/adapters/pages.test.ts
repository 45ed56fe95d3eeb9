import { randomBytes } from 'node:crypto';
import { type ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { maxExaminedItems } from '../../../contract/bounds.ts';
import type { Client, ClientsQuery } from '../../../core/client/client.ts';
import { formatId } from '../../../core/credential/credential-value.ts';
import type { StorePage } from '../../../core/paging.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';

let tables: TestTables;

beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  vi.restoreAllMocks();
  for (const key of ['clients', 'apiKeys', 'audit'] as const) await tables.empty(key);
});

const openClients = () =>
  createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'), { consistentRead: true });

const registered = {
  issuer: 'https://idp.example',
  registrationId: 'idp_1',
  externalClientId: 'erp',
};

async function seedClients(count: number): Promise<readonly Client[]> {
  const clients = Array.from({ length: count }, (_, index) =>
    makeClient({
      clientId: formatId('client', randomBytes(16)),
      name: `Client ${index}`,
      serviceTrunkGroup: `tg-${index % 3}`,
      ...(index % 2 === 1 && { stops: personStop }),
      ...(index % 5 === 0 && { provider: registered, secrets: [] }),
    }),
  );
  const store = openClients();
  for (const client of clients) await store.create(client);
  return clients;
}

/** Every page of a query, and how many reads each took. */
async function readAll(query: Omit<ClientsQuery, 'after'>): Promise<readonly StorePage<Client>[]> {
  const store = openClients();
  const pages: StorePage<Client>[] = [];
  let after: string | undefined;
  do {
    const page = await store.readPage({ ...query, after });
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

const ids = (clients: readonly Client[]) => clients.map(({ clientId }) => clientId).toSorted();

describe('pages of clients', () => {
  it.each<[string, Omit<ClientsQuery, 'limit'>, (client: Client) => boolean]>([
    ['no filter', {}, () => true],
    ['a trunk group', { trunkGroups: ['tg-1'] }, (c) => c.serviceTrunkGroup === 'tg-1'],
    ['two trunk groups', { trunkGroups: ['tg-1', 'tg-2'] }, (c) => c.serviceTrunkGroup !== 'tg-0'],
    ['no trunk group', { trunkGroups: [] }, () => false],
    ['what is disabled', { enabled: false }, (c) => c.stops !== undefined],
    ['a provider', { issuer: registered.issuer }, (c) => c.provider !== undefined],
    ['a text', { text: 'CLIENT 1' }, (c) => c.name.startsWith('Client 1')],
    [
      'all of it',
      { trunkGroups: ['tg-1'], enabled: true, text: '1', matches: (c) => c.secrets.length > 0 },
      (c) =>
        c.serviceTrunkGroup === 'tg-1' &&
        c.stops === undefined &&
        c.secrets.length > 0 &&
        (c.name.includes('1') || c.clientId.includes('1')),
    ],
  ])('with %s hold each client once', async (_, query, isWanted) => {
    const clients = await seedClients(40);
    const pages = await readAll({ ...query, limit: 7 });
    expect(ids(pages.flatMap(({ items }) => items))).toEqual(ids(clients.filter(isWanted)));
    for (const { items } of pages) expect(items.length).toBeLessThanOrEqual(7);
  });

  it('are one read each, which looks at no more than it may', async () => {
    await seedClients(20);
    const send = vi.spyOn(tables.dynamodb, 'send');
    const reads = () => send.mock.calls.map(([command]) => (command as ScanCommand).input.Limit);
    await openClients().readPage({ limit: 5 });
    await openClients().readPage({ limit: 5, text: 'nothing' });
    await openClients().readPage({ limit: 5, trunkGroups: ['tg-1'] });
    await openClients().readPage({ limit: 5, matches: () => false });
    await openClients().readPage({ limit: 5, trunkGroups: [] });
    expect(reads()).toEqual([5, maxExaminedItems, maxExaminedItems, maxExaminedItems]);
  });
});

describe('pages of API keys', () => {
  it('are narrowed down in the same ways', async () => {
    const store = createDynamoDbApiKeyStore(tables.dynamodb, tables.nameOf('apiKeys'));
    for (let index = 0; index < 10; index++) {
      await store.create({
        keyId: formatId('apiKey', randomBytes(16)),
        hash: 'sha256$x',
        name: `Key ${index}`,
        ...(index % 2 === 1 && { stops: personStop }),
        serviceTrunkGroup: `tg-${index % 3}`,
        subnets: [],
        version: 1,
        createdAt: 1,
        updatedAt: 1,
      });
    }
    const found = await store.readPage({
      limit: 10,
      trunkGroups: ['tg-0'],
      enabled: true,
      text: 'key',
      matches: ({ subnets }) => subnets.length === 0,
    });
    expect(found.items.map(({ name }) => name).toSorted()).toEqual(['Key 0', 'Key 6']);
    expect(found.next).toBeUndefined();
  });
});

describe('pages of the audit of trunk groups', () => {
  it('have each record of theirs once, the newest first, and read no others', async () => {
    const audit = createDynamoDbAuditLog(tables.dynamodb, tables.nameOf('audit'));
    const day = '2027-01-15';
    const records = Array.from({ length: 120 }, (_, index) => ({
      recordId: `change${index}-2-done`,
      time: `${day}T08:00:00.${String(Math.floor(index / 3)).padStart(3, '0')}Z`,
      actor: 'ada',
      action: 'client.update',
      subject: `client_${index}`,
      outcome: 'done' as const,
      // The third group has most, and the fourth none.
      after: { service_trunk_group: `tg-${[0, 1, 2, 2, 2, 2][index % 6]}` },
    }));
    for (const record of records) await audit.appendAudit(record);
    const groups = ['tg-0', 'tg-2', 'tg-3'];
    const own = records.filter(({ after }) => groups.includes(after.service_trunk_group));
    for (const limit of [1, 40, 500]) {
      const found: string[] = [];
      let [after, examined]: [string | undefined, number] = [undefined, 0];
      do {
        const page = await audit.readAudit({ day, limit, after, trunkGroups: groups });
        found.push(...page.items.map(({ recordId }) => recordId));
        examined += page.examined;
        after = page.next;
      } while (after !== undefined);
      const expected = own.toSorted((a, b) =>
        `${a.time}#${a.recordId}` < `${b.time}#${b.recordId}` ? 1 : -1,
      );
      expect(found).toEqual(expected.map(({ recordId }) => recordId));
      expect(examined).toBe(own.length);
    }
    const whole = await audit.readAudit({ day, limit: 500 });
    expect(whole.items).toHaveLength(records.length);
  });
});
