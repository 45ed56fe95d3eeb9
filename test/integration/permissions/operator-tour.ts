import { randomUUID } from 'node:crypto';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import { restoredTableName, tables } from '../../../contract/tables.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import type { LoopbackProvider } from '../../../lab/support/loopback-provider.ts';
import type { EnforcedService } from './use-enforced-service.ts';

/** Items that an administrator made for the tour. */
export interface TourItems {
  readonly clientId: string;
  readonly keyId: string;
  /** Issuer of the registered provider, and its discovery URL. */
  readonly issuer: string;
  readonly discoveryUrl: string;
}

const client = ['--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];

/** One command of each kind. What it needs was made before. */
export function tourCommands(items: TourItems): Readonly<Record<string, readonly string[]>> {
  const { clientId, keyId, issuer, discoveryUrl } = items;
  return {
    'provider register': ['provider', 'register', discoveryUrl],
    'client list': ['client', 'list'],
    'client show': ['client', 'show', clientId],
    'client create': ['client', 'create', ...client, '--idempotency-key', randomUUID()],
    'client update': ['client', 'update', clientId, '--name', 'B'],
    'client-secret create': ['client-secret', 'create', clientId],
    'explain token': ['explain', 'token', '--client-id', clientId],
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
    'table restore': [
      'table',
      'restore',
      'clients',
      '--from',
      restoredTableName('local', 'clients'),
      '--restore-point',
      new Date().toISOString(),
    ],
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

/** A table next to the live one, as DynamoDB restores it. It has no items. */
export async function createRestoredTable(service: EnforcedService): Promise<void> {
  const dynamodb = createDynamoDbClient(service.run().aws);
  await createTable(dynamodb, { ...tables.clients, name: restoredTableName('local', 'clients') });
  dynamodb.destroy();
}

/** The provider is registered and has a client, whether or not the operator could do that. */
async function completeProvider(service: EnforcedService, items: TourItems): Promise<void> {
  const { discoveryUrl, issuer } = items;
  await service.authctl(['provider', 'register', discoveryUrl, '--yes']);
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
  through: 'tables' | 'function',
): Promise<Readonly<Record<string, TourResult>>> {
  const results: Record<string, TourResult> = {};
  for (const [name, args] of Object.entries(tourCommands(items))) {
    const before = service.decisions.length;
    const { exitCode } = await service.authctl([...args, '--json', '--yes'], operator, through);
    const denied = isDenied(service.decisions.slice(before));
    if (exitCode === 0) results[name] = denied ? 'works without a permission' : 'works';
    else results[name] = denied ? 'refused by IAM' : 'refused by the service';
    if (name === 'provider register') await completeProvider(service, items);
  }
  return results;
}

/** What each operator's policy is there for: the commands that work. IAM refuses all others. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'client-operator': [
    'client list',
    'client show',
    'client create',
    'client update',
    'client delete',
    'client-secret create',
    'explain token',
    'provider show',
    'signing-key list',
  ],
  'api-key-operator': [
    'api-key list',
    'api-key show',
    'api-key create',
    'api-key disable',
    'api-key delete',
  ],
  'provider-operator': [
    'provider list',
    'provider show',
    'provider register',
    'provider delete',
    'client list',
    'signing-key list',
  ],
  'signing-key-operator': ['signing-key list', 'signing-key rotate'],
  // Reads and writes single items, as the restoration of an item does: a temporary policy.
  'restore-operator': [
    'table restore',
    'audit list',
    'client show',
    'client create',
    'api-key show',
    'api-key create',
    'api-key disable',
    'provider show',
  ],
  auditor: [
    'client list',
    'client show',
    'api-key list',
    'api-key show',
    'provider list',
    'provider show',
    'signing-key list',
    'explain token',
    'audit list',
  ],
};

const names = Object.keys(tourCommands({ clientId: '', keyId: '', issuer: '', discoveryUrl: '' }));

/** On the tables, the list of limits is one more Query of the signing keys' table. */
const listsLimits = ['client-operator', 'provider-operator', 'signing-key-operator', 'auditor'];

/** The same through the management function. Some commands never use it. */
const allowedThroughFunction: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(allowed).map(([operator, commands]) => [
      operator,
      operator === 'signing-key-operator' ? commands : [...commands, 'trunk-group-limits show'],
    ]),
  ),
  auditor: [
    ...(allowed['auditor'] ?? []),
    'trunk-group-limits show',
    'trunk-group-limits check',
    'trunk-group-limits list',
  ],
  'restore-operator': ['table restore'],
  administrator: names.filter((name) => !/^(?:signing-key|table) /.test(name)),
};

/**
 * IAM allows it, and the service does not: the next key is too young, and the function's process
 * does not trust the provider of this test.
 */
const refusedByService: Readonly<
  Record<'tables' | 'function', Readonly<Record<string, readonly string[]>>>
> = {
  tables: { 'signing-key-operator': ['signing-key rotate'] },
  function: {
    'signing-key-operator': ['signing-key rotate'],
    'provider-operator': ['provider register'],
    administrator: ['provider register'],
  },
};

type Tour = Readonly<Record<string, TourResult>>;

function expect(
  commands: Readonly<Record<string, readonly string[]>>,
  through: 'tables' | 'function',
): Readonly<Record<string, Tour>> {
  const resultOf = (operator: string, name: string): TourResult => {
    if (refusedByService[through][operator]?.includes(name)) return 'refused by the service';
    return commands[operator]?.includes(name) === true ? 'works' : 'refused by IAM';
  };
  return Object.fromEntries(
    Object.keys(commands).map((operator) => [
      operator,
      Object.fromEntries(names.map((name) => [name, resultOf(operator, name)])),
    ]),
  );
}

/** What each operator gets, by where the operations run. */
export const expectedTours = {
  tables: expect(
    Object.fromEntries(
      Object.entries(allowed).map(([operator, commands]) => [
        operator,
        listsLimits.includes(operator) ? [...commands, 'trunk-group-limits list'] : commands,
      ]),
    ),
    'tables',
  ),
  function: expect(allowedThroughFunction, 'function'),
} as const;
