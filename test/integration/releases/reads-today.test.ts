import { readFileSync } from 'node:fs';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import type { Item } from '../../../adapters/dynamodb/item.ts';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { type TableKey, type TableSchema, tableName, tables } from '../../../contract/tables.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/access-control.ts';
import { type LocalRun, startLocal } from '../../../lab/local/start-local.ts';
import { ageNextKey } from '../../../lab/support/age-next-key.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { type ItemKind, parsers } from '../../../lab/support/items/parsers.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import { fetchToken } from '../../../lab/support/token-request.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import type { DynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { FormerRelease } from './former-release.ts';

/*
 * What the first release does with each kind of item that this version writes: after a way back,
 * in a region that is not updated yet, and in platforms with an installed verifier. Its own code
 * runs, with the permissions of its own templates.
 */

interface Row {
  readonly table: TableKey;
  /** Whether its functions read the table, or the partition of the signing keys’ table. */
  readonly functions: boolean;
  /** The look-up of its verifier. */
  readonly verifier?: (lookups: DynamoDbLookups, id: string) => Promise<unknown>;
  /** The list of its `authctl`, and the member that names an item. */
  readonly list?: readonly [command: string, id: string];
  /** What its `table copy` says of each item. */
  readonly copy?: string;
}

const newPartition = (type: string): Row => ({
  table: 'signingKeys',
  functions: false,
  copy: `unreadable: unknown type of record "${type}"`,
});

/** The functions get those of this version's own rotation. */
const ofTheRotation: Row = { table: 'signingKeys', functions: true, copy: 'copied' };

const rows: Readonly<Record<ItemKind, Row>> = {
  client: {
    table: 'clients',
    functions: true,
    verifier: ({ providers }, id) => providers.clients.findClient(id),
    list: ['client list', 'client_id'],
    copy: 'copied',
  },
  api_key: {
    table: 'apiKeys',
    functions: false,
    verifier: ({ apiKeys }, id) => apiKeys.findApiKey(id),
    list: ['api-key list', 'key_id'],
    copy: 'copied',
  },
  identity_provider: {
    table: 'identityProviders',
    functions: false,
    verifier: ({ providers }, id) => providers.identityProviders.findIdentityProvider(id),
    list: ['provider list', 'issuer'],
    copy: 'copied',
  },
  signing_key: { ...ofTheRotation, list: ['signing-key list', 'kid'] },
  key_intent: ofTheRotation,
  region_heartbeat: ofTheRotation,
  key_choice: ofTheRotation,
  audit: {
    table: 'audit',
    functions: false,
    list: ['audit list --day 2027-01-15', 'change_id'],
  },
  trunk_group_limits: newPartition('trunk_group_limits'),
  provider_owner: newPartition('trunk_group_limits'),
  daily_state: newPartition('daily_report'),
  daily_report: newPartition('daily_report'),
};

const kinds = Object.keys(parsers) as ItemKind[];

const keyNames = ({ table }: Row) => {
  const { partitionKey, sortKey }: TableSchema = tables[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
};

const keyOf = (row: Row, item: Item) =>
  keyNames(row)
    .map((name) => String(item[name]))
    .join('/');

/** Samples of a kind, each with a key of its own. What the rotation writes is found by its key. */
function samplesOf(kind: ItemKind): readonly Item[] {
  const row = rows[kind];
  const samples = writeSamples()[kind];
  if (row.table === 'signingKeys') {
    return [...new Map(samples.map((item) => [keyOf(row, item), item])).values()];
  }
  const id = keyNames(row).at(-1) ?? '';
  return samples.map((item, at) => ({ ...item, [id]: `${String(item[id])}/${at}` }));
}

async function putSamples(dynamodb: DynamoDBDocument, name: string, of: readonly ItemKind[]) {
  for (const kind of of) {
    const TableName = tableName(name, rows[kind].table);
    for (const Item of samplesOf(kind)) await dynamodb.put({ TableName, Item });
  }
}

const folder = makeTemporaryDirectory();
const state = makeTemporaryDirectory();
const release = new FormerRelease('2648148', folder.path);
const { name } = release.config;
const decisions: DecidedRequest[] = [];
let run: LocalRun;
let dynamodb: DynamoDBDocument;

const readKeys = async (aws: LocalRun['aws']) => {
  const client = createDynamoDbClient(aws);
  const { Items = [] } = await client.scan({ TableName: tableName(String(name), 'signingKeys') });
  client.destroy();
  return Items.filter((item) => item['record_type'] === 'signing_key');
};

/** What its `table copy` prints of an item. */
interface CopiedRow {
  readonly id: string;
  readonly outcome: string;
  readonly because?: string;
}

async function openLookups({ verifier }: FormerRelease = release): Promise<DynamoDbLookups> {
  const { createDynamoDbLookups } = await verifier();
  const { region, endpointDynamoDb, credentials } = run.aws;
  const lookups = createDynamoDbLookups({ tables: name, region, endpointDynamoDb, credentials });
  // Those of c785603 have no such method.
  onTestFinished(() => (lookups as Partial<DynamoDbLookups>).close?.());
  return lookups;
}

/** This version serves until its rotation has published a key, and leaves what it has written. */
async function serveToday(): Promise<void> {
  const options = { port: 0, stateDirectory: state.path, keyScheduleSeconds: 1 };
  const today = await startLocal({ ...options, config: release.config });
  await waitUntil('a key is seen everywhere', async () =>
    (await readKeys(today.aws)).some((key) => 'seen_at' in key),
  );
  const client = createDynamoDbClient(today.aws);
  for (const each of ['samples', 'copies']) await createTables(client, each);
  await putSamples(client, 'samples', kinds);
  const live = kinds.filter((kind) => rows[kind] !== ofTheRotation && kind !== 'signing_key');
  await putSamples(client, String(name), live);
  client.destroy();
  await today.close();
}

beforeAll(async () => {
  await serveToday();
  run = await release.serve(state.path, (decision) => decisions.push(decision));
  dynamodb = createDynamoDbClient(run.aws);
});
afterAll(async () => {
  dynamodb.destroy();
  await run.close();
  folder.remove();
  state.remove();
});

it('every kind of item has a row', () => {
  expect(Object.keys(rows)).toEqual(kinds);
});

describe('the functions of 2648148', () => {
  it('issue tokens, and publish the keys of this version', async () => {
    const [token, jwks, metadata] = await Promise.all([
      fetchToken(run.tokenUrl, run),
      fetch(run.jwksUri).then((response) => response.json() as Promise<JSONWebKeySet>),
      fetch(run.issuer + openidConfigurationPath),
    ]);
    expect(metadata.status).toBe(200);
    await jwtVerify(token, createLocalJWKSet(jwks), { issuer: run.issuer });
    const kids = (await readKeys(run.aws)).map((key) => key['record_id']);
    expect(kids).toHaveLength(2);
    expect(new Set(jwks.keys.map(({ kid }) => kid))).toEqual(new Set(kids));
  });

  it('let the key sign that this version has published', async () => {
    const table = tableName(String(name), 'signingKeys');
    const next = (await readKeys(run.aws)).find((key) => key['state'] === 'next');
    await ageNextKey(dynamodb, { table, regionId: 'slc' });
    const { code, output } = await release.authctl(run, 'signing-key', 'rotate', '--yes');
    expect([code, output]).toEqual([0, expect.stringContaining(String(next?.['record_id']))]);
  });

  it.each(kinds)('read items of the kind %s, or never ask for them', (kind) => {
    const { table, functions } = rows[kind];
    const [{ record_type: partition } = {}] = samplesOf(kind);
    const asked = decisions.some(
      ({ principal, action, resource, context }) =>
        principal.includes(':assumed-role/') &&
        /:(GetItem|BatchGetItem|Query|Scan)$/.test(action) &&
        resource.endsWith(`/${tableName(String(name), table)}`) &&
        [context['dynamodb:LeadingKeys'] ?? []].flat().includes(String(partition)) ===
          (partition !== undefined),
    );
    expect(asked).toBe(functions);
  });

  it('find no item that they cannot read', () => {
    const log = readFileSync(run.paths.log, 'utf8');
    expect(log).toContain('SigningKeyRotationRun');
    expect(log).not.toContain('cannot be read');
  });
});

describe('authctl of 2648148', () => {
  const withList = kinds.filter((kind) => rows[kind].list !== undefined);

  it.each(withList)('lists every item of the kind %s, without a warning', async (kind) => {
    const { list: [command, id] = ['', ''] } = rows[kind];
    const { code, stdout, output } = await release.authctl(run, ...command.split(' '), '--json');
    expect([code, output]).toEqual([0, stdout]);
    const { items } = JSON.parse(stdout) as { readonly items: readonly Record<string, string>[] };
    const expected = kind === 'signing_key' ? await readKeys(run.aws) : samplesOf(kind);
    const ids = items.map((item) => String(item[id]));
    for (const item of expected) {
      const key = keyOf(rows[kind], item);
      expect(
        ids.some((each) => key.endsWith(each)),
        key,
      ).toBe(true);
    }
  });

  const copied = (['clients', 'apiKeys', 'identityProviders', 'signingKeys'] as const).map(
    (table) => [tables[table].suffix, table] as const,
  );

  it.each(copied)(
    'copies of the table %s what it can read, and names the rest',
    async (suffix, table) => {
      const others = { ...release.config, name: 'copies', issuer: run.issuer };
      const args = ['table', 'copy', suffix, '--from', `samples-${suffix}`, '--yes', '--json'];
      const { stdout } = await release.authctl(run, '--config', release.write(others), ...args);
      const { items } = JSON.parse(stdout) as { readonly items: readonly CopiedRow[] };
      const said = items.map(({ id, outcome, because }) => [
        id,
        because === undefined ? outcome : `${outcome}: ${because}`,
      ]);
      const expected = kinds
        .filter((kind) => rows[kind].table === table)
        .flatMap((kind) =>
          samplesOf(kind).map((item) => [keyOf(rows[kind], item), rows[kind].copy]),
        );
      expect(new Set(said)).toEqual(new Set(expected));
    },
  );
});

describe('the verifier of 2648148', () => {
  it.each(kinds.filter((kind) => rows[kind].verifier !== undefined))(
    'finds every %s',
    async (kind) => {
      const lookups = await openLookups();
      for (const item of samplesOf(kind)) {
        expect(await rows[kind].verifier?.(lookups, keyOf(rows[kind], item))).toBeDefined();
      }
    },
  );

  // Nothing writes it yet. The release that does says so in the changelog (docs/upgrade.md).
  it('refuses an API key with an end, and reads the others', async () => {
    const lookups = await openLookups();
    const [item = {}] = samplesOf('api_key');
    const TableName = tableName(String(name), 'apiKeys');
    await dynamodb.put({
      TableName,
      Item: { ...item, key_id: 'apikey_2', expires_at: 1_900_000_000 },
    });
    await expect(lookups.apiKeys.findApiKey('apikey_2')).rejects.toThrow(
      'the item of API key "apikey_2" cannot be read: expires_at: expected no such attribute',
    );
    expect(await lookups.apiKeys.findApiKey('apikey_1/0')).toBeDefined();
  });
});

describe('the verifier of c785603', () => {
  /** docs/upgrade.md names them. */
  const unknown: Readonly<Partial<Record<ItemKind, readonly string[]>>> = {
    client: ['tokens_not_before', 'provider.conditions'],
    api_key: [],
    identity_provider: ['client_id_claim'],
  };

  it.each(Object.entries(unknown))(
    'refuses of the kind %s items with %j only',
    async (kind, paths) => {
      const before = makeTemporaryDirectory();
      onTestFinished(before.remove);
      const lookups = await openLookups(new FormerRelease('c785603', before.path));
      const row = rows[kind as ItemKind];
      const refused: string[] = [];
      for (const item of samplesOf(kind as ItemKind)) {
        const found = await row
          .verifier?.(lookups, keyOf(row, item))
          .catch((error: unknown) => error);
        expect(found).toBeDefined();
        if (found instanceof Error) refused.push(found.message);
      }
      expect(refused).toEqual(
        paths.map((path) =>
          expect.stringMatching(`cannot be read: ${path}: expected no such attribute`),
        ),
      );
    },
  );
});
