import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TableKey, tableName, tables } from '../../../contract/tables.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { useLocalCli } from './use-authctl.ts';

const copiedTables = [
  'clients',
  'apiKeys',
  'identityProviders',
  'signingKeys',
  'settings',
] as const;

const { service, authctl, json, requestToken } = useLocalCli();

interface Row {
  readonly id: string;
  readonly outcome: string;
  readonly because?: readonly string[];
  readonly look_at?: readonly string[];
}

function dynamodb(): DynamoDBClient {
  const { environment } = service();
  return new DynamoDBClient({
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    region: environment.AWS_REGION ?? '',
    credentials: service().aws.credentials,
  });
}

const addTable = (table: TableKey, name: string) =>
  createTable(dynamodb(), { ...tables[table], name });

/** Copies a table of the local run, by the item, into one of another name. */
async function snapshot(table: TableKey, name: string): Promise<void> {
  await addTable(table, name);
  const client = dynamodb();
  const { Items = [] } = await client.send(
    new ScanCommand({ TableName: tableName('local', table) }),
  );
  for (const Item of Items) await client.send(new PutItemCommand({ TableName: name, Item }));
}

/** Deletes items as no command of authctl does: without a trace in the audit. */
async function loseAll(table: TableKey): Promise<void> {
  const client = dynamodb();
  const TableName = tableName('local', table);
  const { partitionKey } = tables[table];
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  for (const item of Items) {
    const key = item[partitionKey];
    if (key !== undefined) {
      await client.send(new DeleteItemCommand({ TableName, Key: { [partitionKey]: key } }));
    }
  }
}

async function addClient(name: string): Promise<string> {
  const args = ['--name', name, '--trunk-group', 'tg', '--scope', 'calls:view'];
  const scope = ['--scope', 'messaging:view'];
  return String((await json(['client', 'create', ...args, ...scope]))['client_id']);
}

async function addSecret(clientId: string): Promise<{ id: string; value: string }> {
  const made = await json(['client-secret', 'create', clientId]);
  return { id: String(made['secret_id']), value: String(made['client_secret']) };
}

async function rows(args: readonly string[]): Promise<readonly Row[]> {
  return (await json(['table', ...args]))['items'] as readonly Row[];
}

describe('authctl table restore, from a table of an earlier time', () => {
  const restored = 'local-restored-clients';
  const point = new Date().toISOString();
  const args = ['restore', 'clients', '--from', restored, '--restore-point', point];
  const ids: Record<string, string> = {};
  const secrets: Record<string, { id: string; value: string }> = {};
  const status = async (client: string, secret: string) =>
    (await requestToken(ids[client] ?? '', secrets[secret]?.value ?? '')).status;
  const outcomes = (list: readonly Row[]) =>
    Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, list.find((row) => row.id === id)?.outcome]),
    );

  beforeAll(async () => {
    for (const name of ['kept', 'deleted', 'disabled', 'narrowed']) {
      ids[name] = await addClient(name);
      secrets[name] = await addSecret(ids[name]);
    }
    secrets['revoked'] = await addSecret(ids['kept'] ?? '');
    await snapshot('clients', restored);

    await json(['client-secret', 'delete', ids['kept'] ?? '', secrets['revoked'].id, '--yes']);
    secrets['later'] = await addSecret(ids['kept'] ?? '');
    await json(['client', 'delete', ids['deleted'] ?? '', '--yes']);
    await json(['client', 'disable', ids['disabled'] ?? '']);
    await json(['client', 'update', ids['narrowed'] ?? '', '--remove-scope', 'messaging:view']);
    ids['later'] = await addClient('later');
    await loseAll('clients');
  });

  it('says first what it would do, and does nothing', async () => {
    expect(outcomes(await rows([...args, '--dry-run']))).toEqual({
      kept: 'restored',
      deleted: 'dropped',
      disabled: 'restored',
      narrowed: 'restored',
      later: 'lost',
    });
    expect(await status('kept', 'kept')).toBe(401);
  });

  it('brings back what no one revoked, and refuses the revoked secret at the token endpoint', async () => {
    const list = await rows([...args, '--yes']);
    expect(outcomes(list)).toMatchObject({ kept: 'restored', deleted: 'dropped', later: 'lost' });
    expect(await status('kept', 'kept')).toBe(200);
    expect(await status('kept', 'revoked')).toBe(401);
    expect(await status('deleted', 'deleted')).toBe(401);
    expect(await status('disabled', 'disabled')).toBe(401);
    const narrowed = await requestToken(ids['narrowed'] ?? '', secrets['narrowed']?.value ?? '');
    expect(narrowed).toMatchObject({ status: 200, body: { scope: 'calls:view' } });
    const kept = list.find(({ id }) => id === ids['kept']);
    expect(kept?.because?.join()).toContain(`${secrets['revoked']?.id}: deleted at`);
    expect(kept?.look_at?.join()).toContain(`${secrets['later']?.id} was made after`);
  });

  it('does nothing the second time, and leaves a record of the first', async () => {
    expect(outcomes(await rows([...args, '--yes']))).toMatchObject({
      kept: 'present',
      deleted: 'dropped',
    });
    const about = ['--action', 'client.restore', '--subject', ids['kept'] ?? ''];
    const audit = (await json(['audit', 'list', ...about]))['items'];
    expect((audit as readonly Row[]).map(({ outcome }) => outcome)).toEqual(['done']);
  });

  it('brings back what was deleted by mistake if it is told to', async () => {
    const list = await rows([...args, '--yes', '--undelete', ids['deleted'] ?? '']);
    expect(outcomes(list)).toMatchObject({ deleted: 'restored', kept: 'present' });
    expect(await status('deleted', 'deleted')).toBe(200);
    // And revoking it again is not undone by the older deletion's being ignored.
    await json(['client', 'delete', ids['deleted'] ?? '', '--yes']);
    expect(outcomes(await rows([...args, '--yes']))).toMatchObject({ deleted: 'dropped' });
  });

  it('does so for API keys, too', async () => {
    const create = ['api-key', 'create', '--trunk-group', 'tg', '--name'];
    const kept = await json([...create, 'kept']);
    const gone = await json([...create, 'gone']);
    await snapshot('apiKeys', 'local-restored-api-keys');
    await json(['api-key', 'delete', String(gone['key_id']), '--yes']);
    await loseAll('apiKeys');
    const from = ['--from', 'local-restored-api-keys', '--restore-point', point];
    const list = await rows(['restore', 'api-keys', ...from, '--yes']);
    const byId = new Map(list.map(({ id, outcome }) => [id, outcome]));
    expect(byId.get(String(kept['key_id']))).toBe('restored');
    expect(byId.get(String(gone['key_id']))).toBe('dropped');
  });

  it('restores nothing while a record of the audit cannot be read', async () => {
    const TableName = tableName('local', 'audit');
    const day = { S: new Date().toISOString().slice(0, 10) };
    const Item = { day, record_id: { S: 'x' }, schema_version: { N: '2' } };
    await dynamodb().send(new PutItemCommand({ TableName, Item }));
    const { exitCode, stderr } = await authctl(['table', ...args, '--yes']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('its revocations are not known, so nothing is restored');
  });
});

describe('authctl table restore and copy refuse', () => {
  const from = ['--from', 'other'];
  it.each<[string, readonly string[], string]>([
    [
      'a table that is never restored',
      ['restore', 'signing-keys', ...from, '--restore-point', '2026-01-01'],
      'table: received "signing-keys"; allowed: clients, api-keys, identity-providers, settings',
    ],
    [
      'a restore point that is to come',
      ['restore', 'clients', ...from, '--restore-point', '2999-01-01'],
      '--restore-point: received "2999-01-01"; allowed: a time in the past',
    ],
    [
      'the audit',
      ['copy', 'audit', ...from],
      'table: received "audit"; allowed: clients, api-keys, identity-providers, signing-keys, settings',
    ],
    [
      'a copy of a table into itself',
      ['copy', 'clients', '--from', 'local-clients'],
      `--from: received "local-clients", which is the deployment's own table`,
    ],
    [
      'to leave out a region that is not there',
      ['restore', 'clients', ...from, '--restore-point', '2026-01-01', '--without-audit', 'mars'],
      '--without-audit: received "mars"; allowed: us-west-2',
    ],
  ])('%s', async (_, args, message) => {
    const { exitCode, stderr } = await authctl(['table', ...args, '--yes']);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

describe('authctl table copy', () => {
  it('copies every kind of item, once, and tells what differs since', async () => {
    for (const key of copiedTables) {
      const table = tables[key].suffix;
      await snapshot(key, `other-${table}`);
      const list = await rows(['copy', table, '--from', `other-${table}`, '--yes']);
      expect(list.every(({ outcome }) => outcome === 'present')).toBe(true);
    }
    const id = await addClient('copied');
    const { value } = await addSecret(id);
    await snapshot('clients', 'old-clients');
    await loseAll('clients');
    const copied = await rows(['copy', 'clients', '--from', 'old-clients', '--yes']);
    expect(copied.every(({ outcome }) => outcome === 'copied')).toBe(true);
    expect((await requestToken(id, value)).status).toBe(200);

    await json(['client', 'update', id, '--name', 'Changed in the copy']);
    const added = await addClient('only in the copy');
    const run = await authctl('table copy clients --from old-clients --json --yes'.split(' '));
    expect(run.exitCode).toBe(1);
    const again = (JSON.parse(run.stdout) as { items: readonly Row[] }).items;
    expect(again.filter(({ outcome }) => outcome !== 'present')).toEqual([
      {
        id,
        outcome: 'different',
        because: expect.stringMatching(/^version \d+ in the source, \d+ in the copy$/),
      },
      { id: added, outcome: 'only there' },
    ]);
  });

  it('leaves behind what no function could read', async () => {
    await addTable('clients', 'broken-clients');
    const Item = { client_id: { S: 'client_x' }, schema_version: { N: '1' } };
    await dynamodb().send(new PutItemCommand({ TableName: 'broken-clients', Item }));
    const run = await authctl(['table', 'copy', 'clients', '--from', 'broken-clients', '--yes']);
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toMatch(/client_x +unreadable +the item of client/);
  });
});
