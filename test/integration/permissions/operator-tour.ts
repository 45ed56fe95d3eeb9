import { randomUUID } from 'node:crypto';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { bindManagement, ConflictError, RefusedError } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { restoredTableName, tables } from '../../../contract/tables.ts';
import { readRunConfig } from '../../../lab/local/state.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import type { LoopbackProvider } from '../../../lab/support/loopback-provider.ts';
import type { EnforcedService } from './use-enforced-service.ts';

/** Items that an administrator made for the tour. */
interface TourItems {
  readonly clientId: string;
  readonly keyId: string;
  /** Issuer of the registered provider, and its discovery URL. */
  readonly issuer: string;
  readonly discoveryUrl: string;
}

const client = ['--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];

const restored = {
  clients: 'client',
  apiKeys: 'api_key',
  identityProviders: 'identity_provider',
  settings: 'provider_owner',
  signingKeys: 'signing_key',
} as const;

type Restored = keyof typeof restored;

function restore(table: Restored): readonly string[] {
  const from = ['--from', restoredTableName('local', table)];
  const point = ['--restore-point', new Date().toISOString()];
  return ['table', 'restore', tables[table].suffix, ...from, ...point];
}

/** One command of each kind. What it needs was made before. */
function tourCommands(items: TourItems): Readonly<Record<string, readonly string[]>> {
  const { clientId, keyId, issuer, discoveryUrl } = items;
  return {
    'provider register': ['provider', 'register', discoveryUrl],
    'client list': ['client', 'list'],
    'client list by a text': ['client', 'list', '--text', 'none'],
    'client show': ['client', 'show', clientId],
    'client create': ['client', 'create', ...client, '--idempotency-key', randomUUID()],
    'client update': ['client', 'update', clientId, '--name', 'B'],
    'client-secret create': ['client-secret', 'create', clientId],
    'explain token': ['explain', 'token', '--client-id', clientId],
    'client disable': ['client', 'disable', clientId],
    'api-key list': ['api-key', 'list'],
    'api-key show': ['api-key', 'show', keyId],
    'api-key create': ['api-key', 'create', '--name', 'A', '--trunk-group', 'tg'],
    'api-key disable': ['api-key', 'disable', keyId],
    'provider list': ['provider', 'list'],
    'provider show': ['provider', 'show', issuer],
    'trunk-group-limits set': ['trunk-group-limits', 'set', 'tg-limited', '--max-clients', '1'],
    'trunk-group-limits show': ['trunk-group-limits', 'show', 'tg-limited'],
    'trunk-group-limits check': ['trunk-group-limits', 'check', 'tg'],
    'trunk-group-limits list': ['trunk-group-limits', 'list'],
    'signing-key list': ['signing-key', 'list'],
    'signing-key rotate': ['signing-key', 'rotate'],
    'audit list': ['audit', 'list'],
    'table restore': restore('clients'),
    'table restore of API keys': restore('apiKeys'),
    'table restore of providers': restore('identityProviders'),
    'table restore of settings': restore('settings'),
    'table restore of signing keys': restore('signingKeys'),
    'api-key delete': ['api-key', 'delete', keyId],
    'client delete': ['client', 'delete', clientId],
    'provider delete': ['provider', 'delete', issuer, '--cascade'],
  };
}

/** A client, an API key and a provider for one tour; what a tour before left of them is used. */
export async function prepareTour(
  service: EnforcedService,
  { issuer, discoveryUrl }: LoopbackProvider,
): Promise<TourItems> {
  const { client_id: clientId = '' } = await service.json(['client', 'create', ...client]);
  const key = ['api-key', 'create', '--name', 'A', '--trunk-group', 'tg'];
  const { key_id: keyId = '' } = await service.json(key);
  await service.json(['client-secret', 'create', clientId]);
  // Registered, if the tour before could not delete it.
  await service.authctl(['provider', 'delete', issuer, '--cascade', '--yes']);
  return { clientId, keyId, issuer, discoveryUrl };
}

/** Tables next to the live ones, as DynamoDB restores them, with an item that is lost. */
export async function createRestoredTables(service: EnforcedService): Promise<void> {
  const dynamodb = createDynamoDbClient(service.run().aws);
  const samples = writeSamples();
  for (const [table, kind] of Object.entries(restored) as [Restored, keyof typeof samples][]) {
    const TableName = restoredTableName('local', table);
    await createTable(dynamodb, { ...tables[table], name: TableName });
    // A client under a provider: what is granted there is read.
    const Item = samples[kind].find((item) => item['provider'] !== undefined) ?? samples[kind][0];
    await dynamodb.put({ TableName, Item });
  }
  dynamodb.destroy();
}

/** On the tables: the function's process does not trust the provider of this test. */
async function registerProvider(service: EnforcedService, discoveryUrl: string): Promise<void> {
  const { aws, paths } = service.run();
  const config = readRunConfig(paths);
  const context = createManagementContext({
    config,
    aws,
    actor: createCallerIdentity(aws),
    allowLoopbackProviders: true,
  });
  const known = (error: unknown) => {
    if (!(error instanceof RefusedError) && !(error instanceof ConflictError)) throw error;
  };
  await bindManagement(context).registerProvider(discoveryUrl).catch(known);
}

/** The provider is registered and has a client, whether or not the operator could do that. */
async function completeProvider(service: EnforcedService, items: TourItems): Promise<void> {
  const { discoveryUrl, issuer } = items;
  await registerProvider(service, discoveryUrl);
  const under = ['--provider', issuer, '--external-client-id', 'x'];
  await service.json(['client', 'create', ...client, ...under]);
}

/** The result of a command for an operator. */
export type TourResult =
  | 'works'
  | 'works without a permission'
  | 'refused by IAM'
  | 'refused by the service';

/** `authctl` tries one alias after another: the last one counts. */
function isDenied(decisions: EnforcedService['decisions']): boolean {
  const isAllowed = ({ result }: (typeof decisions)[number]) => result === 'Allowed';
  const tried = decisions.filter(({ resource }) =>
    resource.includes(':function:local-management:'),
  );
  const others = decisions.filter((one) => !tried.includes(one));
  const last = tried.at(-1);
  return !others.every(isAllowed) || (last !== undefined && !isAllowed(last));
}

/** Runs every command of the tour as one operator. */
export async function runTour(
  service: EnforcedService,
  operator: string,
  items: TourItems,
): Promise<Readonly<Record<string, TourResult>>> {
  const results: Record<string, TourResult> = {};
  for (const [name, args] of Object.entries(tourCommands(items))) {
    const before = service.decisions.length;
    const { exitCode, stderr } = await service.authctl(
      [...args, '--json', '--yes'],
      operator,
      placeOf(operator),
    );
    const denied = isDenied(service.decisions.slice(before));
    if (exitCode === 0) results[name] = denied ? 'works without a permission' : 'works';
    else results[name] = denied ? 'refused by IAM' : 'refused by the service';
    if (
      name.endsWith('signing keys') &&
      !stderr.includes('docs/procedures/one-region-to-three.md')
    ) {
      throw new Error(`${name}: ${stderr} does not say who may`);
    }
    if (name === 'provider register') await completeProvider(service, items);
  }
  return results;
}

/** What each operator's policy is there for: the commands that work. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'client-operator': [
    'client list',
    'client list by a text',
    'client show',
    'client create',
    'client update',
    'client disable',
    'client delete',
    'client-secret create',
    'explain token',
    'provider show',
    'trunk-group-limits show',
  ],
  'api-key-operator': [
    'api-key list',
    'api-key show',
    'api-key create',
    'api-key disable',
    'api-key delete',
    'trunk-group-limits show',
  ],
  'provider-operator': [
    'provider list',
    'provider show',
    'provider delete',
    'client list',
    'client list by a text',
    'trunk-group-limits show',
  ],
  'signing-key-operator': ['signing-key list'],
  'restore-operator': [
    'table restore',
    'table restore of API keys',
    'table restore of providers',
    'table restore of settings',
  ],
  'break-glass-operator': ['client show', 'client disable', 'api-key show', 'api-key disable'],
  auditor: [
    'client list',
    'client list by a text',
    'client show',
    'api-key list',
    'api-key show',
    'provider list',
    'provider show',
    'explain token',
    'audit list',
    'trunk-group-limits show',
    'trunk-group-limits check',
    'trunk-group-limits list',
  ],
};

const names = Object.keys(tourCommands({ clientId: '', keyId: '', issuer: '', discoveryUrl: '' }));

/** Where each operator works. */
function placeOf(operator: string): 'tables' | 'function' {
  return operator === 'break-glass-operator' ? 'tables' : 'function';
}

/** Commands that do not use the management function. */
const isOwnWay = (name: string) => /^(?:signing-key|table) /.test(name);

const commands: Readonly<Record<string, readonly string[]>> = {
  ...allowed,
  administrator: names.filter((name) => !isOwnWay(name) && name !== 'provider register'),
};

/**
 * IAM allows it, and the service does not: the next key is too young, and the function's process
 * does not trust the provider of this test.
 */
const refusedByService: Readonly<Record<string, readonly string[]>> = {
  'signing-key-operator': ['signing-key rotate'],
  'provider-operator': ['provider register'],
  administrator: ['provider register'],
  // `authctl` itself: on the tables, it only stops credentials.
  'break-glass-operator': names.filter(
    (name) => !isOwnWay(name) && allowed['break-glass-operator']?.includes(name) === false,
  ),
};

/**
 * The history says how long older tokens of a client live. Who may not read it is told the most that
 * the deployment allows.
 */
const withoutHistory: Readonly<Record<string, readonly string[]>> = {
  'client-operator': ['client disable'],
};

function resultOf(operator: string, name: string): TourResult {
  if (withoutHistory[operator]?.includes(name) === true) return 'works without a permission';
  if (refusedByService[operator]?.includes(name)) return 'refused by the service';
  return commands[operator]?.includes(name) === true ? 'works' : 'refused by IAM';
}

/** What each operator gets. */
export const expectedTours: Readonly<Record<string, Readonly<Record<string, TourResult>>>> =
  Object.fromEntries(
    Object.keys(commands).map((operator) => [
      operator,
      Object.fromEntries(names.map((name) => [name, resultOf(operator, name)])),
    ]),
  );
