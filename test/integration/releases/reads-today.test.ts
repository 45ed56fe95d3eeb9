import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import type { Item } from '../../../adapters/dynamodb/item.ts';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { type TableKey, type TableSchema, tableName, tables } from '../../../contract/tables.ts';
import {
  formatApiKeyValue,
  formatId,
  secretBytes,
} from '../../../core/credential/credential-value.ts';
import { hashSecret } from '../../../core/credential/secret-hash.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import type { FunctionProcess } from '../../../lab/emulator/runtime-api/function-process.ts';
import { type LocalRun, startLocal } from '../../../lab/local/start-local.ts';
import { ageNextKey } from '../../../lab/support/age-next-key.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import type { ForwardAuthProcess } from '../../../lab/support/forward-auth-process.ts';
import { type ItemKind, parsers } from '../../../lab/support/items/parsers.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import type { CommandResult } from '../../../lab/support/run-command.ts';
import { fetchToken } from '../../../lab/support/token-request.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import type { DynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import type { Verifier } from '../../../verifier/verifier.ts';
import { findNewAttribute, newestRelease, parsersOf } from '../../support/kept-items.ts';
import { runCli } from '../cli/use-authctl.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { type OidcProvider, startOidcProvider } from '../verifier/oidc-provider.ts';
import { FormerRelease } from './former-release.ts';

/*
 * What the release before does with each kind of item that this version writes: after a way back,
 * in a region that is not updated yet, and in platforms with an installed verifier, forward-auth or
 * authorizer. Its own code runs, with the permissions of its own templates. It reads every item
 * that uses nothing new, and fails closed on the others.
 */

interface Row {
  readonly table: TableKey;
  /** Whether its functions read the table, or the partition of the signing keys’ table. */
  readonly functions: boolean;
  /** The look-up of its verifier. */
  readonly verifier?: (lookups: DynamoDbLookups, id: string) => Promise<unknown>;
  /** The list of its `authctl` that reads it, and the member that names an item, if one does. */
  readonly list?: readonly [command: string, id?: string];
  /** What its `table copy` says of each item. */
  readonly copy?: string;
}

/** The functions get those of this version's own rotation. */
const ofTheRotation: Row = { table: 'signingKeys', functions: true, copy: 'copied' };

/** A kind that it does not know, in a partition that it does not read. */
const newPartition: Row = { table: 'signingKeys', functions: false, copy: 'unreadable' };

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
    functions: true,
    verifier: ({ apiKeys }, id) => apiKeys.findApiKey(id),
    list: ['api-key list', 'key_id'],
    copy: 'copied',
  },
  identity_provider: {
    table: 'identityProviders',
    functions: true,
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
    functions: true,
    list: ['audit list --day 2027-01-15', 'change_id'],
  },
  trunk_group_limits: {
    table: 'signingKeys',
    functions: true,
    list: ['trunk-group-limits list', 'service_trunk_group'],
    copy: 'copied',
  },
  provider_owner: {
    table: 'signingKeys',
    functions: true,
    list: ['provider list'],
    copy: 'copied',
  },
  subject_grants: newPartition,
  issuer_grants: newPartition,
  workload_use: newPartition,
  person: newPartition,
};

const kinds = Object.keys(parsers) as ItemKind[];
const former = await parsersOf(newestRelease);

const keyNames = ({ table }: Row) => {
  const { partitionKey, sortKey }: TableSchema = tables[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
};

const keyOf = (row: Row, item: Item) =>
  keyNames(row)
    .map((name) => String(item[name]))
    .join('/');

const numbered = (at: number, bytes: number) => new Uint8Array(bytes).fill(at + 1);

/** The value of the API key of a sample. */
const apiKeyValue = (keyId: unknown) => formatApiKeyValue(String(keyId), numbered(0, secretBytes));

/** A sample as a platform can use it. */
function usable(kind: ItemKind, item: Item, at: number): Item {
  if (kind !== 'api_key') return item;
  const keyId = formatId('apiKey', numbered(at, 16));
  return { ...item, key_id: keyId, hash: hashSecret(apiKeyValue(keyId)), enabled: true };
}

/** Kinds of which each sample also exists with an attribute that no release knows. */
const planted: readonly ItemKind[] = ['client', 'api_key', 'identity_provider'];

/** Samples of a kind, each with a key of its own. What the rotation writes is found by its key. */
function samplesOf(kind: ItemKind): readonly Item[] {
  const row = rows[kind];
  const own: readonly Item[] = writeSamples()[kind];
  if (row.table === 'signingKeys') {
    return [...new Map(own.map((item) => [keyOf(row, item), item])).values()];
  }
  const id = keyNames(row).at(-1) ?? '';
  const newer = planted.includes(kind) ? own.map((item) => ({ ...item, added_later: true })) : [];
  return [...own, ...newer].map((item: Item, at) =>
    usable(kind, { ...item, [id]: `${String(item[id])}/${at}` }, at),
  );
}

/** The attribute of an item that the release before does not know. */
function newAttribute(kind: ItemKind, item: Item): string | undefined {
  const read = former[kind];
  return read === undefined ? kind : findNewAttribute(read, item);
}

const readable = (kind: ItemKind) =>
  samplesOf(kind).filter((item) => newAttribute(kind, item) === undefined);

const unreadable = (kind: ItemKind) =>
  samplesOf(kind).filter((item) => newAttribute(kind, item) !== undefined);

async function putSamples(dynamodb: DynamoDBDocument, name: string, of: readonly ItemKind[]) {
  for (const kind of of) {
    const TableName = tableName(name, rows[kind].table);
    for (const Item of samplesOf(kind)) await dynamodb.put({ TableName, Item });
  }
}

const folder = makeTemporaryDirectory();
const project = makeTemporaryDirectory();
const stateDirectory = join(project.path, '.local');
mkdirSync(stateDirectory);
const release = new FormerRelease(newestRelease, folder.path);
const { name, defaultAudience: audience } = release.config;
const erp = { clientId: 'erp', clientSecret: 'erp-secret-of-the-other-provider' };
const decisions: DecidedRequest[] = [];
let provider: OidcProvider;
let run: LocalRun;
let dynamodb: DynamoDBDocument;
let askedToday: readonly CommandResult[];

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

function lookupOptions() {
  const { region, endpointDynamoDb, credentials } = run.aws;
  return { tables: name, region, endpointDynamoDb, credentials };
}

async function openLookups(): Promise<DynamoDbLookups> {
  const { createDynamoDbLookups } = await release.verifier();
  const lookups = createDynamoDbLookups(lookupOptions());
  onTestFinished(() => lookups.close());
  return lookups;
}

/** A provider, and a client under it, as `authctl` of this version registers them. */
async function registerProvider(): Promise<void> {
  const base = ['client', 'create', '--name', 'ERP', '--trunk-group', 'tg-7'];
  const at = ['--provider', provider.issuer, '--external-client-id', erp.clientId];
  const commands = [
    ['provider', 'register', provider.discoveryUrl],
    [...base, '--scope', 'messaging:view', ...at],
  ];
  for (const args of commands) {
    const { exitCode, stderr } = await runCli([...args, '--local'], { cwd: project.path });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  }
}

/**
 * What its `authctl` prints of creations through the function of this version. Its own config allows
 * more than that of the function, which therefore decides.
 */
async function askToday(today: LocalRun): Promise<readonly CommandResult[]> {
  const faxes = { service: 'faxes', permission: 'send', description: 'Send faxes' };
  const config = release.write({
    ...release.config,
    issuer: today.issuer,
    scopes: [...release.config.scopes, faxes],
    tokenLifetime: { minimum: 1 },
  });
  const create = (...args: readonly string[]) => {
    const fields = ['--name', 'A', '--trunk-group', 'tg-1001', ...args];
    return release.authctl(today, '--config', config, 'client', 'create', ...fields);
  };
  return [
    await create('--scope', 'faxes:send', '--token-lifetime', '5s'),
    await create('--scope', 'messaging:view', '--json'),
  ];
}

/** This version serves until its rotation has published a key, and leaves what it has written. */
async function serveToday(): Promise<void> {
  const options = { port: 0, stateDirectory, keyScheduleSeconds: 1 };
  const today = await startLocal({ ...options, config: release.config });
  await waitUntil('a key is seen everywhere', async () =>
    (await readKeys(today.aws)).some((key) => 'seen_at' in key),
  );
  await registerProvider();
  askedToday = await askToday(today);
  const client = createDynamoDbClient(today.aws);
  for (const each of ['samples', 'copies']) await createTables(client, each);
  await putSamples(client, 'samples', kinds);
  const live = kinds.filter((kind) => rows[kind] !== ofTheRotation && kind !== 'signing_key');
  await putSamples(client, String(name), live);
  client.destroy();
  await today.close();
}

beforeAll(async () => {
  provider = await startOidcProvider([erp]);
  await serveToday();
  run = await release.serve(stateDirectory, (decision) => decisions.push(decision));
  dynamodb = createDynamoDbClient(run.aws);
});
afterAll(async () => {
  dynamodb.destroy();
  await run.close();
  await provider.stop();
  folder.remove();
  project.remove();
});

it('every kind of item has a row', () => {
  expect(Object.keys(rows).toSorted()).toEqual(kinds.toSorted());
});

describe('authctl of the release before', () => {
  it('reads what the function of this version returns: every problem of a refusal, and a client', () => {
    const [refused, client] = askedToday;
    // Its own word for the field that the function names, and then every other problem.
    const scopes = release.config.scopes.map(
      ({ service, permission }) => `${service}:${permission}`,
    );
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      output: `authctl: --scope: received "faxes:send"; allowed: ${scopes.join(', ')}\ntoken_lifetime: received 5; allowed: 60 to 86400 seconds\n`,
    });
    expect(JSON.parse(client?.stdout ?? '')).toMatchObject({ name: 'A' });
  });

  const withList = kinds.filter((kind) => rows[kind].list !== undefined);

  it.each(withList)('lists every %s, and names those that it cannot read', async (kind) => {
    const { list: [command, id] = ['', ''] } = rows[kind];
    const { code, stdout, output } = await release.authctl(run, ...command.split(' '), '--json');
    expect([code, output]).toEqual([0, expect.any(String)]);
    const warnings = output.replace(stdout, '').split('\n').filter(Boolean);
    const listed = kinds.filter((each) => rows[each].list?.[0] === command);
    expect(warnings).toEqual(
      listed
        .flatMap(unreadable)
        .map(() =>
          expect.stringMatching(/left out: .* cannot be read: \S+: expected no such attribute/),
        ),
    );
    const { items } = JSON.parse(stdout) as { readonly items: readonly Record<string, string>[] };
    if (id === undefined) return;
    const expected = kind === 'signing_key' ? await readKeys(run.aws) : readable(kind);
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
      const of = kinds.filter((kind) => rows[kind].table === table);
      const expected = of.flatMap((kind) =>
        samplesOf(kind).map((item) => {
          const isNew = newAttribute(kind, item) !== undefined;
          return [keyOf(rows[kind], item), isNew ? 'unreadable' : rows[kind].copy];
        }),
      );
      expect(new Set(items.map(({ id, outcome }) => [id, outcome]))).toEqual(new Set(expected));
    },
  );
});

describe('the functions of the release before', () => {
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

  it('find no key that they cannot read', () => {
    const log = readFileSync(run.paths.log, 'utf8');
    expect(log).toContain('SigningKeyRotationRun');
    expect(log).not.toMatch(/item of signing key .* cannot be read/);
  });

  it('issue nothing to a client that uses what is new', async () => {
    const key = { client_id: run.clientId };
    const TableName = tableName(String(name), 'clients');
    const { Item = {} } = await dynamodb.get({ TableName, Key: key });
    expect(await fetchToken(run.tokenUrl, run)).toBeDefined();
    await dynamodb.put({ TableName, Item: { ...Item, added_later: true } });
    await expect(fetchToken(run.tokenUrl, run)).rejects.toThrow('500');
    await dynamodb.put({ TableName, Item });
    expect(await fetchToken(run.tokenUrl, run)).toBeDefined();
  });
});

/** The address that an API key's first subnet allows, if it has one. */
const allowedAddress = '203.0.113.7';

/** What a platform that still has the release before does with a credential of this version. */
interface Platform {
  /** @returns whether the credential was accepted; an error that is no refusal is thrown. */
  accepts(credential: string): Promise<boolean>;
}

async function asLibrary(): Promise<Platform> {
  const { createVerifier, createDynamoDbLookups } = await release.verifier();
  const lookups = createDynamoDbLookups(lookupOptions());
  onTestFinished(() => lookups.close());
  const verifier: Verifier = createVerifier({
    issuer: run.issuer,
    audience,
    ...lookups,
    allowLoopbackProviders: true,
  });
  return {
    accepts: (credential) =>
      verifier
        .verify({ authorization: `Bearer ${credential}`, sourceAddress: allowedAddress })
        .then(
          () => true,
          () => false,
        ),
  };
}

const providerEnvironment = () => {
  const ca = join(folder.path, 'provider.pem');
  writeFileSync(ca, provider.certificate);
  return { ...run.environment, NODE_EXTRA_CA_CERTS: ca, AUTH_ALLOW_LOOPBACK_PROVIDERS: '1' };
};

async function asForwardAuth(): Promise<Platform> {
  const own = ['--issuer', run.issuer, '--audience', audience, '--tables', String(name)];
  const args = [...own, '--client-address-header', 'x-client'];
  const running: ForwardAuthProcess = await release.forwardAuth(args, providerEnvironment());
  onTestFinished(async () => void (await running.stop()));
  return {
    async accepts(credential) {
      const headers = { authorization: `Bearer ${credential}`, 'x-client': allowedAddress };
      const { status } = await fetch(`${running.address}/verify/-`, { headers });
      return status === 200;
    },
  };
}

async function asAuthorizer(): Promise<Platform> {
  const table = (key: TableKey) => tableName(String(name), key);
  const fn: FunctionProcess = await release.authorizer(run.aws.region, {
    ...providerEnvironment(),
    AUTH_ISSUER: run.issuer,
    AUTH_AUDIENCES: audience,
    AUTH_DEFAULT_AUDIENCE: audience,
    AUTH_CLIENTS_TABLE: table('clients'),
    AUTH_API_KEYS_TABLE: table('apiKeys'),
    AUTH_IDENTITY_PROVIDERS_TABLE: table('identityProviders'),
    AUTH_REQUIRED_SCOPES: '{"GET /messages":"messaging:view"}',
    AUTH_RESULT_CACHE_TTL: '0',
  });
  onTestFinished(() => fn.close());
  return {
    async accepts(credential) {
      const event = {
        httpMethod: 'GET',
        methodArn: 'arn:aws:execute-api:us-west-2:111122223333:api/live/GET/messages',
        multiValueHeaders: { Authorization: [`Bearer ${credential}`] },
        requestContext: { resourcePath: '/messages', identity: { sourceIp: allowedAddress } },
      };
      return fn.invoke(event).then(
        ({ payload }) => JSON.stringify(payload).includes('"Effect":"Allow"'),
        (error: Error) => {
          expect(error.message).toContain('Unauthorized');
          return false;
        },
      );
    },
  };
}

const platforms = {
  'the verifier': asLibrary,
  'forward-auth': asForwardAuth,
  'the authorizer': asAuthorizer,
} as const;

describe.each(Object.entries(platforms))('%s of the release before', (_, install) => {
  it('accepts a token of this issuer, and no other', async () => {
    const platform = await install();
    const token = await fetchToken(run.tokenUrl, run);
    expect(await platform.accepts(token)).toBe(true);
    expect(await platform.accepts(`${token.slice(0, -8)}AAAAAAAA`)).toBe(false);
  });

  it('accepts a token of a provider that this version has registered', async () => {
    const platform = await install();
    const token = await provider.fetchToken(erp, audience);
    expect(await platform.accepts(token)).toBe(true);
    expect(await platform.accepts(await provider.fetchToken(erp, 'https://other.test'))).toBe(
      false,
    );
  });

  it('accepts every API key that uses nothing new, and refuses the others', async () => {
    const platform = await install();
    const accepted = samplesOf('api_key').map(async (item) => [
      item,
      await platform.accepts(apiKeyValue(item['key_id'])),
    ]);
    expect(await Promise.all(accepted)).toEqual(
      samplesOf('api_key').map((item) => [item, newAttribute('api_key', item) === undefined]),
    );
    expect(readable('api_key')).not.toEqual([]);
  });
});

describe('the look-ups of the release before', () => {
  it.each(kinds.filter((kind) => rows[kind].verifier !== undefined))(
    'find every %s that uses nothing new, and refuse the others by name',
    async (kind) => {
      const lookups = await openLookups();
      const find = (item: Item) => rows[kind].verifier?.(lookups, keyOf(rows[kind], item));
      for (const item of readable(kind)) expect(await find(item)).toBeDefined();
      for (const item of unreadable(kind)) {
        if (kind === 'client') {
          // It asks DynamoDB for the attributes that it checks, so it cannot see a new one.
          expect(await find(item)).not.toHaveProperty('addedLater');
          continue;
        }
        await expect(find(item)).rejects.toThrow(
          `cannot be read: ${newAttribute(kind, item)}: expected no such attribute`,
        );
      }
      expect(unreadable(kind)).not.toEqual([]);
    },
  );

  // Nothing writes it before 0.3.0. The changelog names it.
  it('read the end of an API key', async () => {
    const lookups = await openLookups();
    const [item = {}] = readable('api_key');
    const TableName = tableName(String(name), 'apiKeys');
    const ended = { ...item, key_id: formatId('apiKey', numbered(99, 16)) };
    await dynamodb.put({ TableName, Item: { ...ended, expires_at: 1_900_000_000 } });
    expect(await lookups.apiKeys.findApiKey(ended.key_id)).toMatchObject({
      expiresAt: 1_900_000_000,
    });
  });
});
