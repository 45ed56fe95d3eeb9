import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type TableKey, tableName, tables } from '../../../contract/tables.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { useLocalCli } from './use-authctl.ts';

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
    const quiet = await authctl(['table', ...args, '--dry-run', '--quiet']);
    expect(quiet.stderr).toContain(`Look at ${ids['later']}: made at`);
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

  it('brings back everything that was deleted between two times, and says who deleted it', async () => {
    const [before, disabled] = [new Date(Date.now() + 1), ids['disabled'] ?? ''];
    await vi.waitUntil(() => Date.now() > before.getTime());
    for (const id of [ids['kept'] ?? '', disabled]) await json(['client', 'delete', id, '--yes']);
    const between = (from: string, to: string) => ['--undelete-from', from, '--undelete-to', to];
    const now = new Date(Date.now() + 1).toISOString();
    await vi.waitUntil(() => new Date().toISOString() > now);
    const earlier = await rows([...args, '--dry-run', ...between(point, before.toISOString())]);
    expect(outcomes(earlier)).toMatchObject({ kept: 'dropped', disabled: 'dropped' });
    const those = [...args, ...between(before.toISOString(), now), '--yes'];
    const list = await rows([...those, '--dry-run']);
    expect(outcomes(list)).toMatchObject({ kept: 'restored', deleted: 'dropped' });
    expect(list.find(({ id }) => id === disabled)?.because?.[0]).toMatch(/^deleted at .+ by arn:/);
    const { stdout } = await authctl(['table', ...those, '--quiet']);
    expect(new Set(stdout.trim().split('\n'))).toEqual(new Set([ids['kept'], disabled]));
    expect(await status('kept', 'kept')).toBe(200);
    expect(await status('disabled', 'disabled')).toBe(401);
    const wrong = await authctl(['table', ...args, ...between(now, point), '--yes']);
    expect(wrong.stderr).toContain('--undelete-to: received');
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
    const Key = { day, record_id: { S: 'x' } };
    await dynamodb().send(new DeleteItemCommand({ TableName, Key }));
  });
});

describe('authctl table restore refuses', () => {
  const from = ['--from', 'other'];
  it.each<[string, readonly string[], string]>([
    [
      'the audit',
      ['restore', 'audit', ...from, '--restore-point', '2026-01-01'],
      'table: received "audit"; allowed: settings, identity-providers, clients, api-keys, signing-keys',
    ],
    [
      'a restore point that is to come',
      ['restore', 'clients', ...from, '--restore-point', '2999-01-01'],
      '--restore-point: received "2999-01-01"; allowed: a time in the past',
    ],
    [
      'a table into itself',
      ['restore', 'clients', '--from', 'local-clients', '--restore-point', '2026-01-01'],
      `--from: received "local-clients"; allowed: another table than the deployment's own`,
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

describe('authctl table restore, from a table that is moved', () => {
  const now = () => ['--restore-point', new Date().toISOString(), '--yes'];

  it('says what the live table has in another version', async () => {
    const id = await addClient('moved');
    await snapshot('clients', 'old-clients');
    await json(['client', 'update', id, '--name', 'Changed since']);
    const found = await rows(['restore', 'clients', '--from', 'old-clients', ...now()]);
    const [row] = found.filter((one) => one.id === id);
    expect([row?.outcome, row?.because?.join()]).toEqual([
      'present',
      expect.stringMatching(/^version \d+ here, \d+ in the restored table$/),
    ]);
  });

  it('says no if it leaves an item behind, which no function could read', async () => {
    await addTable('clients', 'broken-clients');
    const Item = { client_id: { S: 'client_x' }, schema_version: { N: '1' } };
    await dynamodb().send(new PutItemCommand({ TableName: 'broken-clients', Item }));
    const run = await authctl([
      'table',
      'restore',
      'clients',
      '--from',
      'broken-clients',
      ...now(),
    ]);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('left out: the item of client "client_x"');
  });
});
