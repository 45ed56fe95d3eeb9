import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import { settingItems } from '../../../adapters/dynamodb/items/setting-items.ts';
import {
  type OperatorGroup,
  type OperatorGroupName,
  operatorGroups,
} from '../../../contract/operator-permissions.ts';
import { restoredTableName, type TableKey, tableName, tables } from '../../../contract/tables.ts';
import { formatId, hashSecret } from '../../../core/credential/credential-value.ts';
import { formatDemoEnvironment } from '../../../lab/local/demo-environment.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { runCli, useLocalCli } from './use-authctl.ts';

const { service } = useLocalCli();
const folder = makeTemporaryDirectory();
let proxy: RecordingProxy;
let provider: LoopbackProvider;

beforeAll(async () => {
  const { environment } = service();
  proxy = await startRecordingProxy(
    environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    service().aws.credentials,
  );
  provider = await startLoopbackProvider();
  mkdirSync(join(folder.path, '.local'));
  writeFileSync(
    join(folder.path, '.local', 'demo.env'),
    formatDemoEnvironment({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }),
  );
});

afterAll(async () => {
  await proxy.close();
  await provider.close();
  folder.remove();
});

async function authctl(args: readonly string[]) {
  const run = await runCli([...args, '--local', '--json', '--yes'], { cwd: folder.path });
  if (run.stdout === '') throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Record<string, string>;
}

const client = ['client', 'create', '--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];
const key = ['api-key', 'create', '--name', 'A', '--trunk-group', 'tg'];

const sessions: Partial<Record<OperatorGroupName, () => Promise<unknown>>> = {
  'client-operator': async () => {
    await authctl(['client', 'list']);
    const { client_id: id = '' } = await authctl([...client, '--idempotency-key', 'once-only']);
    await authctl([...client, '--idempotency-key', 'once-only']);
    await authctl(['client', 'show', id]);
    await authctl(['client', 'update', id, '--name', 'B']);
    await authctl(['client', 'disable', id]);
    await authctl(['client', 'enable', id]);
    await authctl(['client', 'revoke-tokens', id]);
    const { secret_id: secret = '' } = await authctl(['client-secret', 'create', id]);
    await authctl(['client-secret', 'list', id]);
    await authctl(['client-secret', 'update', id, secret, '--name', 'x']);
    await authctl(['client-secret', 'rotate', id]);
    await authctl(['client-secret', 'delete', id, secret]);
    await authctl(['explain', 'token', '--client-id', id]);
    await authctl(['client', 'delete', id]);
    const under = ['--provider', provider.issuer, '--external-client-id', 'x'];
    await runCli([...client, ...under, '--local'], { cwd: folder.path });
  },
  'api-key-operator': async () => {
    await authctl(['api-key', 'list']);
    const { key_id: id = '' } = await authctl([...key, '--idempotency-key', 'once-only']);
    await authctl(['api-key', 'show', id]);
    await authctl(['api-key', 'update', id, '--name', 'B']);
    await authctl(['api-key', 'disable', id]);
    await authctl(['api-key', 'enable', id]);
    const { subnet_id: subnet = '' } = await authctl([
      'api-key-subnet',
      'add',
      id,
      '--name',
      'a',
      '--address',
      '10.0.0.0',
      '--netmask',
      '8',
    ]);
    await authctl(['api-key-subnet', 'list', id]);
    await authctl(['api-key-subnet', 'remove', id, subnet, '--allow-any-source']);
    await authctl(['api-key', 'delete', id]);
  },
  'signing-key-operator': async () => {
    const { items = '' } = await authctl(['signing-key', 'list']);
    await authctl(['signing-key', 'plan']);
    const [{ kid }] = items as unknown as [{ kid: string }];
    // Refused by the function: only the function may change a key.
    const withdraw = ['signing-key', 'withdraw', kid, '--local'];
    expect((await runCli(withdraw, { cwd: folder.path })).exitCode).toBe(1);
    const rotate = ['signing-key', 'rotate', '--local'];
    expect((await runCli(rotate, { cwd: folder.path })).exitCode).toBe(1);
  },
  'provider-operator': async () => {
    await authctl(['provider', 'register', provider.discoveryUrl]);
    await authctl(['provider', 'list']);
    await authctl(['provider', 'show', provider.issuer]);
    await authctl([...client, '--provider', provider.issuer, '--external-client-id', 'x']);
    await authctl(['provider', 'delete', provider.issuer, '--cascade']);
  },
  'break-glass-operator': async () => {
    const { client_id: id = '' } = await authctl(client);
    const { secret_id: secret = '' } = await authctl(['client-secret', 'create', id]);
    const { key_id: keyId = '' } = await authctl(key);
    const onTables = (...args: readonly string[]) => authctl([...args, '--through', 'tables']);
    await onTables('client-secret', 'disable', id, secret);
    await onTables('client', 'revoke-tokens', id);
    await onTables('client', 'disable', id);
    await onTables('client', 'enable', id);
    expect(await onTables('client', 'show', id)).toMatchObject({ enabled: true });
    await onTables('api-key', 'disable', keyId);
    expect(await onTables('api-key', 'show', keyId)).toMatchObject({ enabled: false });
  },
  'restore-operator': async () => {
    const { environment } = service();
    const dynamodb = createDynamoDbClient({
      endpointDynamoDb: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      region: environment.AWS_REGION ?? '',
      credentials: service().aws.credentials,
    });
    for (const item of [
      { table: 'clients', from: toClientItem(underProvider) },
      { table: 'apiKeys', from: toApiKeyItem(apiKey) },
      { table: 'identityProviders', from: toIdentityProviderItem(registration) },
      { table: 'settings', from: settingItems.limits.toItem(limits) },
    ] as const) {
      const { suffix } = tables[item.table];
      const name = restoredTableName('local', item.table);
      await createTable(dynamodb, { ...tables[item.table], name });
      await dynamodb.put({ TableName: name, Item: item.from });
      const args = ['--from', name, '--restore-point', new Date().toISOString()];
      await authctl(['table', 'restore', suffix, ...args, '--dry-run']);
      await authctl(['table', 'restore', suffix, ...args]);
    }
  },
};

const apiKey = {
  keyId: formatId('apiKey', new Uint8Array(16)),
  hash: hashSecret('x'),
  name: 'A',
  serviceTrunkGroup: 'tg',
  subnets: [],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};

const limits = { serviceTrunkGroup: 'tg', maxClients: 10, version: 1, updatedAt: 1 };

const registration = {
  issuer: 'https://restored.example',
  registrationId: formatId('registration', new Uint8Array(16)),
  discoveryUrl: 'https://restored.example/.well-known/openid-configuration',
  jwksUri: 'https://restored.example/jwks',
  allowedAlgorithms: ['RS256'],
  registeredAt: 1,
};

/** Its id there is not granted: the grants and the owner are read. */
const underProvider = makeClient({
  secrets: [],
  provider: {
    issuer: registration.issuer,
    registrationId: registration.registrationId,
    externalClientId: 'x',
    conditions: undefined,
  },
});

function allowed(group: OperatorGroup): readonly string[] {
  const own = Object.entries(group.tables).flatMap(([table, actions]) =>
    actions.map((action) => `${tableName('local', table as TableKey)}: ${action}`),
  );
  const restored = (group.restoredTables ?? []).map(
    (table) => `${restoredTableName('local', table)}: dynamodb:Scan`,
  );
  return [...own, ...restored];
}

it.each(Object.entries(sessions))(
  'the permissions of %s are what its commands use, and no more',
  async (name, run) => {
    proxy.calls.clear();
    await run();
    const group = operatorGroups[name as OperatorGroupName];
    expect([...proxy.calls].toSorted()).toEqual(allowed(group).toSorted());
  },
);

it.each([[client], [['client', 'list']], [['audit', 'list']], [['provider', 'list']]])(
  'on the tables, %j is refused and touches nothing',
  async (args) => {
    proxy.calls.clear();
    const words = [...args, '--local', '--through', 'tables'];
    const run = await runCli(words, { cwd: folder.path });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('--through tables: allowed for client show, disable, enable');
    expect([...proxy.calls]).toEqual([]);
  },
);
