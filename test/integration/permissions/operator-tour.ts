import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { bindManagement, ConflictError, RefusedError } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { type OperationName, operationOf } from '../../../contract/management/operations.ts';
import { operatorGroups } from '../../../contract/operator-permissions.ts';
import { restoredTableName, tables } from '../../../contract/tables.ts';
import { readRunConfig } from '../../../lab/local/state.ts';
import { commandSteps, fillLine, type Made } from '../../../lab/suites/deploy/command-steps.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import type { LoopbackProvider } from '../../../lab/support/loopback-provider.ts';
import { validCalls } from '../../adapters/management/valid-calls.ts';
import { createWorld } from '../../adapters/management/world.ts';
import type { EnforcedService } from './use-enforced-service.ts';

/** Items that an administrator made for the tour, by the names of the steps. */
type TourItems = Made & { readonly issuer: string; readonly discoveryUrl: string };

const client = ['--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];

const restored = {
  clients: 'client',
  apiKeys: 'api_key',
  identityProviders: 'identity_provider',
  settings: 'provider_owner',
  signingKeys: 'signing_key',
} as const;

type Restored = keyof typeof restored;

/** What `authctl` is asked for: steps of the deployment test by their command, and more of some. */
const steps = [
  'client create|list|show|update|disable|delete',
  'client-secret create',
  'explain token',
  'api-key create|list|show|disable|delete',
  'provider register|list|show|delete',
  'trunk-group-limits set|show|check|list',
  'signing-key list|rotate',
  'audit list',
].flatMap((text) => {
  const [group, names = ''] = text.split(' ');
  return names.split('|').map((name) => `${group} ${name}`);
});

const restorePoint = '--restore-point {restorePoint}';
const restoreLine = (table: Restored) =>
  `table restore ${tables[table].suffix} --from ${restoredTableName('local', table)} ${restorePoint}`;

const ownLines: Readonly<Record<string, string>> = {
  'signing-key rotate': 'signing-key rotate',
  'client list by a text': 'client list --text none',
  'table restore': restoreLine('clients'),
  'table restore of API keys': restoreLine('apiKeys'),
  'table restore of providers': restoreLine('identityProviders'),
  'table restore of settings': restoreLine('settings'),
  'table restore of signing keys': restoreLine('signingKeys'),
  // It has a client.
  'provider delete': 'provider delete {issuer} --cascade',
};

/** One command of each kind, by its name. What it needs was made before. */
const tourLines: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    commandSteps
      .flat()
      .filter(({ command }) => steps.includes(command))
      .map(({ command, line }) => [command, line]),
  ),
  ...ownLines,
};

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
  const serviceTrunkGroup = 'tg-limited';
  return { clientId, keyId, issuer, discoveryUrl, serviceTrunkGroup };
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
  const made = { ...items, restorePoint: new Date().toISOString() };
  for (const [name, line] of Object.entries(tourLines)) {
    const before = service.decisions.length;
    const { exitCode, stderr } = await service.authctl(
      [...fillLine(line, made), '--json', '--yes'],
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

const names = Object.keys(tourLines);

/** Commands that do not use the management function. */
const ownWays: Readonly<Record<string, readonly string[]>> = {
  'signing-key-operator': ['signing-key list'],
  'restore-operator': names.filter((name) => /^table restore(?!.*signing keys)/.test(name)),
  'break-glass-operator': ['client show', 'client disable', 'api-key show', 'api-key disable'],
};

const calls = Object.entries(validCalls(await createWorld()));

/** Whether the function of management takes the command from the alias of an operator. */
function isAllowed(operator: string, name: string): boolean {
  const [operation] =
    calls.find(([, { command }]) => name.startsWith(command) && command !== '') ?? [];
  if (operation === undefined) return false;
  const { aliases } = operationOf(operation as OperationName);
  return aliases.some((alias) => alias === operator);
}

/** Where each operator works. */
function placeOf(operator: string): 'tables' | 'function' {
  return operator === 'break-glass-operator' ? 'tables' : 'function';
}

const isOwnWay = (name: string) => /^(?:signing-key|table) /.test(name);

/**
 * IAM allows it, and the service does not: the next key is too young, and the function's process
 * does not trust the provider of this test.
 */
function isRefusedByService(operator: string, name: string): boolean {
  if (name === 'signing-key rotate') return operator === 'signing-key-operator';
  // `authctl` itself: on the tables, it only stops credentials.
  if (operator === 'break-glass-operator') return !isOwnWay(name);
  return name === 'provider register' && isAllowed(operator, name);
}

/**
 * The history says how long older tokens of a client live. Who may not read it is told the most that
 * the deployment allows.
 */
const withoutHistory: Readonly<Record<string, readonly string[]>> = {
  'client-operator': ['client disable'],
};

function resultOf(operator: string, name: string): TourResult {
  if (withoutHistory[operator]?.includes(name) === true) return 'works without a permission';
  if (ownWays[operator]?.includes(name) === true) return 'works';
  if (isRefusedByService(operator, name)) return 'refused by the service';
  return isAllowed(operator, name) ? 'works' : 'refused by IAM';
}

/** What each operator gets. */
export const expectedTours: Readonly<Record<string, Readonly<Record<string, TourResult>>>> =
  Object.fromEntries(
    Object.keys(operatorGroups).map((operator) => [
      operator,
      Object.fromEntries(names.map((name) => [name, resultOf(operator, name)])),
    ]),
  );
