import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableName } from '../../contract/tables.ts';
import { commandSteps, fillLine, listCommands } from '../../lab/suites/deploy/command-steps.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../lab/support/loopback-provider.ts';
import { useLocalCli } from '../integration/cli/use-authctl.ts';
import { figure } from '../support/figure.ts';
import { ids, ownLiteral } from './hostile-acts.ts';

/*
 * The hostile customer with the command line: the real program, the management function and tables of
 * a local run. The caller is limited to its trunk group as `management.reach` limits it.
 */

const { authctl, json, requestToken, service } = useLocalCli();
const asGrace = ['--only-trunk-group', 'tg-globex'];
const asAda = ['--only-trunk-group', 'tg-acme'];
const asStranger = ['--only-trunk-group', 'tg-nobody'];

let shared: LoopbackProvider;
let own: LoopbackProvider;
let other: LoopbackProvider;
/** What Grace has, by the names that the commands below use. */
let made: Readonly<Record<string, string>>;
/** What she sees before anyone else does something. */
let seen: readonly string[];

function under(id: string, group: string): readonly string[] {
  const create = ['client', 'create', '--name', 'Job', '--trunk-group', group];
  const there = ['--provider', shared.issuer, '--external-client-id', id, '--allow-user-tokens'];
  return [...create, '--scope', 'calls:view', ...there];
}

beforeAll(async () => {
  [shared, own, other] = await Promise.all([
    startLoopbackProvider(),
    startLoopbackProvider(),
    startLoopbackProvider(),
  ]);
  const patterns = ['--client-id-claim', 'sub', '--allow-client-patterns'];
  await json(['provider', 'register', shared.discoveryUrl, ...patterns]);
  for (const name of ['globex', 'acme']) {
    const group = ['--trunk-group', `tg-${name}`];
    await json(['provider', 'grant', shared.issuer, `repo:${name}/`, ...group]);
    await json(['trunk-group-limits', 'set', `tg-${name}`, '--own-providers', '1']);
  }
  await json(['provider', 'grant-issuer', own.issuer, '--trunk-group', 'tg-globex']);
  await json(['provider', 'register', own.discoveryUrl, '--trunk-group', 'tg-globex', ...asGrace]);
  const job = await json([...under('repo:globex/app:ref:refs/heads/*', 'tg-globex'), ...asGrace]);
  const named = ['--name', 'Billing', '--trunk-group', 'tg-globex'];
  const client = await json(['client', 'create', ...named, '--scope', 'calls:view', ...asGrace]);
  const secret = await json(['client-secret', 'create', String(client['client_id']), ...asGrace]);
  const subnet = ['--allow', 'office=203.0.113.0/24'];
  const key = await json(['api-key', 'create', ...named, ...subnet, ...asGrace]);
  const shown = await json(['api-key-subnet', 'list', String(key['key_id']), ...asGrace]);
  const subnets = shown['items'] as readonly { readonly subnet_id: string }[];
  made = {
    job: String(job['client_id']),
    clientId: String(client['client_id']),
    secretId: String(secret['secret_id']),
    secret: String(secret['client_secret']),
    keyId: String(key['key_id']),
    subnetId: String(subnets[0]?.subnet_id),
    issuer: own.issuer,
    shared: shared.issuer,
    discoveryUrl: own.discoveryUrl,
    wicked: other.discoveryUrl,
    wickedIssuer: other.issuer,
    serviceTrunkGroup: 'tg-globex',
    subject: 'https://login.example.com#grace',
  };
  seen = await printAll();
});
afterAll(() => Promise.all([shared.close(), own.close(), other.close()]));

/** Everything that Grace can print about what she has. */
const views = [
  'client list',
  'client show {clientId}',
  'client show {job}',
  'client-secret list {clientId}',
  'api-key list',
  'api-key show {keyId}',
  'api-key-subnet list {keyId}',
  'provider list',
  'provider show {issuer}',
  'trunk-group-limits show tg-globex',
  'audit history {clientId}',
  'audit history {job}',
  'audit history {keyId}',
  'audit history {issuer}',
  'audit list',
  'explain token --client-id {clientId}',
  'scope list',
];

/** What Grace sees. The times of a token that is explained are the present ones. */
async function printAll(): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const view of views) {
    const { exitCode, stdout } = await authctl([...fillLine(view, made), '--json', ...asGrace]);
    printed.push(`${view}: ${exitCode} ${stdout.replaceAll(/"(iat|exp)": \d+/g, '')}`);
  }
  return printed;
}

const recordTables = ['clients', 'apiKeys', 'identityProviders', 'settings'] as const;

/** The token function records a use after its answer, while another test may read. */
const withoutLastUse = (name: string, value: unknown) =>
  name === 'last_used_on' ? undefined : value;

/** The records that Grace has, and the grants and limits of all. */
async function readRecords(): Promise<readonly string[]> {
  const { region, endpointDynamoDb: endpoint = '', credentials } = service().aws;
  const dynamodb = new DynamoDBClient({ region, endpoint, credentials });
  const found: string[] = [];
  for (const key of recordTables) {
    const command = new ScanCommand({ TableName: tableName('local', key), ConsistentRead: true });
    const { Items = [] } = await dynamodb.send(command);
    found.push(...Items.map((item) => `${key} ${JSON.stringify(item, withoutLastUse)}`));
  }
  dynamodb.destroy();
  return found
    .filter(
      (item) =>
        /globex|trunk_group_limits|provider_owner|_grants/.test(item) ||
        item.includes(shared.issuer),
    )
    .toSorted();
}

/** The portal and keys of one's own are of this machine. */
const untried = ['key create', 'portal'];

/** What Ada types, with the names of what Grace has, and the exit code. */
const attacks: readonly (readonly [line: string, exitCode: number])[] = [
  ...commandSteps
    .flat()
    .filter(({ command }) => !untried.includes(command))
    .map(({ line, stranger }) => [line.replaceAll('tg-tour', 'tg-globex'), stranger] as const),
  ['client create --name Billing --trunk-group tg-globex --scope calls:view', 2],
  ['client list --text Billing', 0],
  ['client list --provider {shared}', 0],
  ['client show {job}', 1],
  ['client update {clientId} --add-scope messaging:manage', 1],
  ['client update {job} --require-claim repository_id=1', 1],
  ['client disable {job}', 1],
  ['client delete {job}', 1],
  ['api-key rotate {keyId} --expire-old-in 0', 1],
  ['api-key-subnet add {keyId} --name all --address 0.0.0.0/0', 1],
  ['provider register {discoveryUrl}', 1],
  ['provider register {discoveryUrl} --trunk-group tg-acme', 1],
  ['provider register {wicked} --trunk-group tg-acme', 1],
  ['provider delete {issuer} --cascade', 1],
  ['provider delete {shared} --cascade', 1],
  ['provider assign {issuer} --trunk-group tg-acme', 1],
  ['provider assign {shared} --trunk-group tg-acme', 2],
  ['provider grant {shared} repo:globex/ --trunk-group tg-acme', 1],
  ['provider grant {shared} repo:globex/ --withdraw', 1],
  ['provider grant {shared} repo:globex/app --trunk-group tg-acme --delete {job}', 1],
  ['provider grant-issuer {issuer} --trunk-group tg-acme', 1],
  ['provider grant-issuer {wickedIssuer} --trunk-group tg-acme', 1],
  ['trunk-group-limits set {serviceTrunkGroup} --max-clients 0', 1],
  ['trunk-group-limits set tg-acme --own-providers 100', 1],
  ['audit history {keyId}', 0],
  ['audit history {issuer}', 0],
];

let cases = 0;

describe('a customer with authctl', () => {
  it('tries every command', () => {
    const steps = new Set(commandSteps.flat().map(({ command }) => command));
    expect([...steps].toSorted()).toEqual(listCommands().toSorted());
  });

  it.each(attacks)('%s: nothing of another one is read or changed', async (command, exitCode) => {
    const before = await readRecords();
    const typed = fillLine(command, made);
    const stdin = made['secret'] ?? '';
    const attack = await authctl([...typed, '--yes', '--json', ...asAda], { stdin });
    expect({ ...attack, stdout: '', stderr: '' }).toEqual({ exitCode, stdout: '', stderr: '' });
    // Only what was typed is repeated.
    const said = typed.reduce(
      (text, word) => text.replaceAll(word, ''),
      attack.stdout + attack.stderr,
    );
    expect(said).not.toMatch(/globex|billing|office/i);
    const isKnown = (value: string) =>
      value === made['shared'] || typed.some((word) => word.startsWith(value));
    for (const value of Object.values(made)) {
      if (!isKnown(value)) expect(said).not.toContain(value);
    }
    expect(await readRecords()).toEqual(before);
    cases += 1;
  });

  it.each(ids)('creates no client with the id %j', async (id) => {
    const readOthers = async () =>
      (await readRecords()).filter((item) => !item.includes(ownLiteral));
    const before = await readOthers();
    const doors = [
      [...under(id, 'tg-acme'), ...asAda],
      [...under(id, 'tg-acme'), '--allow-other-grant', ...asAda],
      [...under(id, 'tg-globex'), ...asAda],
      [...under(id, 'tg-nobody'), ...asStranger],
    ];
    for (const args of doors) {
      const { exitCode } = await authctl(args);
      if (id !== ownLiteral || !args.includes('tg-acme')) expect(exitCode).toBe(2);
      cases += 1;
    }
    expect(await readOthers()).toEqual(before);
  });

  it('changes nothing that another one sees, in at least 170 cases', async () => {
    expect(await printAll()).toEqual(seen);
    const { clientId = '', secret = '' } = made;
    expect(await requestToken(clientId, secret)).toMatchObject({
      status: 200,
      body: { scope: 'calls:view' },
    });
    figure('hostile customers with authctl', { commands: attacks.length, cases });
    expect(cases).toBeGreaterThanOrEqual(170);
  });
});

/** Runs the command; the function does what it says, and its answer is lost on the way. */
async function losingTheAnswer(args: readonly string[]) {
  const { port } = new URL(service().environment['AWS_ENDPOINT_URL_LAMBDA'] ?? '');
  const listener: ChannelListener = (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (!request.getHeader('host')?.toString().endsWith(`:${port}`)) return;
    const emit = request.emit.bind(request);
    request.emit = (name: string | symbol, ...rest: readonly unknown[]) => {
      if (name !== 'response') return emit(name, ...rest);
      request.destroy(new Error('the answer is lost'));
      return true;
    };
  };
  subscribe('http.client.request.start', listener);
  try {
    return await authctl(args);
  } finally {
    unsubscribe('http.client.request.start', listener);
  }
}

describe('a customer with authctl whose answers are lost', () => {
  it('gets once what it creates, and nothing of another one', async () => {
    const before = await readRecords();
    // A shorter name may be in an id, which is random.
    const name = 'Created once only';
    const named = ['client', 'create', '--name', name, '--trunk-group', 'tg-acme'];
    const key = ['--idempotency-key', 'lost-answer-12345', '--scope', 'calls:view'];
    const create = [...named, ...key, ...asAda];
    expect(await losingTheAnswer(create)).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await authctl(create)).toMatchObject({ exitCode: 0 });
    const { items } = await json(['client', 'list', '--text', name, ...asAda]);
    expect(items).toHaveLength(1);
    for (const command of [
      'client disable {clientId}',
      'api-key delete {keyId}',
      'client delete {job}',
    ]) {
      const attack = [...fillLine(command, made), '--yes', '--if-version', '1', ...asAda];
      expect((await losingTheAnswer(attack)).exitCode).toBe(1);
      expect((await authctl(attack)).exitCode).toBe(1);
    }
    expect(await readRecords()).toEqual(before);
  });

  it('stops what is its own while another one asks', async () => {
    const { clientId: client = '' } = made;
    const { version } = await json(['client', 'show', client, ...asGrace]);
    const disable = ['client', 'disable', client, '--if-version', String(version), ...asGrace];
    const [lost] = await Promise.all([
      losingTheAnswer(disable),
      authctl(['client', 'enable', client, '--if-version', String(version), ...asAda]),
      authctl(['client', 'delete', client, '--yes', ...asAda]),
    ]);
    expect(lost.exitCode).toBe(1);
    const shown = await json(['client', 'show', client, ...asGrace]);
    expect(shown).toMatchObject({ enabled: false });
    expect(await authctl(['client', 'disable', client, ...asGrace])).toMatchObject({ exitCode: 0 });
  });
});
