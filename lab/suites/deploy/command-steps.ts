import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandGroups, singleCommands } from '../../../cli/command-groups.ts';
import type { OperatorGroupName } from '../../../contract/operator-permissions.ts';

/** What earlier steps have printed, e.g. the id of a client. */
export type Made = Readonly<Record<string, string>>;

type Printed = Readonly<Record<string, unknown>>;

/** One command of `authctl`, with what it needs of the steps before it. */
export interface Step {
  /** As `--help` lists it, e.g. `client create`. */
  readonly command: string;
  /** Whose policy the caller has; `account` is an administrator of the account. */
  readonly as: OperatorGroupName | 'account';
  /** What follows the command. */
  readonly args?: (made: Made) => readonly string[];
  readonly input?: (made: Made) => string;
  /** What later steps need of what it printed. */
  readonly keep?: (printed: Printed) => Made;
  /** The exit code; 0 if left out. */
  readonly code?: number;
}

/** Every command of the command line. */
export function listCommands(): readonly string[] {
  const grouped = commandGroups.flatMap(({ name, commands }) =>
    commands.map((command) => `${name} ${command.name}`),
  );
  return [...grouped, ...singleCommands.map(({ name }) => name)];
}

/** Arguments that are what earlier steps have made, by these names, and then the same in each run. */
function made(...names: readonly string[]) {
  return (...more: readonly string[]) =>
    (values: Made): readonly string[] => [...names.map((name) => values[name] ?? ''), ...more];
}

/** Steps of one operator, except those that say who else runs them. */
function stepsOf(
  as: Step['as'],
  steps: readonly (Omit<Step, 'as'> & Partial<Step>)[],
): readonly Step[] {
  return steps.map((step) => ({ as, ...step }));
}

/** Members of a printed document. */
function keep(...names: readonly string[]): (printed: Printed) => Made {
  return (printed) => Object.fromEntries(names.map((name) => [name, String(printed[name])]));
}

const words = made();
const client = made('client_id');
const secret = made('client_id', 'secret_id');
const key = made('key_id');
const issuer = made('issuer');
const ofTour = ['--trunk-group', 'tg-tour'];
const newClient = ['--name', 'Tour', ...ofTour, '--scope', 'messaging:view'];

const aboutClients = stepsOf('client-operator', [
  { command: 'client create', args: words(...newClient), keep: keep('client_id') },
  // Its config has no clientImport.
  { command: 'client import', input: () => '{"client_id":"tour-client"}', code: 1 },
  { command: 'client list', args: words(...ofTour) },
  { command: 'client show', args: client() },
  { command: 'client update', args: client('--name', 'B') },
  { command: 'client-secret create', args: client(), keep: keep('secret_id') },
  { command: 'client-secret list', args: client() },
  { command: 'key create', args: () => [join(mkdtempSync(join(tmpdir(), 'key-')), 'key.jwk')] },
  { command: 'client-secret update', args: secret('--name', 'blue') },
  { command: 'client-secret disable', args: secret() },
  { command: 'client-secret enable', args: secret() },
  { command: 'client-secret rotate', args: client() },
  { command: 'client-secret delete', args: secret() },
  { command: 'explain token', args: ({ client_id = '' }) => ['--client-id', client_id] },
  { command: 'client disable', args: client() },
  { command: 'client enable', args: client() },
  { command: 'client revoke-tokens', args: client() },
  { command: 'portal' },
  { command: 'audit history', as: 'auditor', args: client() },
  { command: 'client delete', args: client() },
  { command: 'client delete-undeclared' },
]);

const aboutApiKeys = stepsOf('api-key-operator', [
  {
    command: 'api-key create',
    args: words('--name', 'Tour', ...ofTour),
    keep: keep('key_id', 'api_key'),
  },
  { command: 'api-key list', args: words(...ofTour) },
  { command: 'api-key show', args: key() },
  { command: 'api-key update', args: key('--expires-in', '90d') },
  { command: 'api-key rotate', args: key(), keep: keep('api_key') },
  {
    command: 'explain request',
    as: 'auditor',
    args: ({ own_issuer = '' }) => ['--bearer-stdin', '--issuer', own_issuer],
    input: ({ api_key = '' }) => api_key,
  },
  {
    command: 'api-key-subnet add',
    args: key('--name', 'office', '--address', '203.0.113.0/24'),
    keep: keep('subnet_id'),
  },
  { command: 'api-key-subnet list', args: key() },
  { command: 'api-key-subnet remove', args: made('key_id', 'subnet_id')('--allow-any-source') },
  { command: 'api-key disable', args: key() },
  { command: 'api-key enable', args: key() },
  { command: 'api-key delete', args: key() },
]);

const discoveryUrl = ({ issuer = '' }: Made) => [`${issuer}/.well-known/openid-configuration`];

const aboutProviders = stepsOf('provider-operator', [
  { command: 'provider inspect', args: discoveryUrl },
  { command: 'provider register', args: (values) => [...discoveryUrl(values), ...ofTour] },
  { command: 'provider list' },
  { command: 'provider show', args: issuer() },
  { command: 'provider assign', args: issuer('--platform') },
  { command: 'provider grant', as: 'administrator', args: issuer('tour', ...ofTour) },
  {
    command: 'provider grant-issuer',
    as: 'administrator',
    args: words('https://sso.example.com/realms/tour', ...ofTour),
  },
  { command: 'provider grants' },
  { command: 'provider check' },
  { command: 'provider delete', args: issuer() },
  {
    command: 'trunk-group-limits set',
    as: 'administrator',
    args: words('tg-limited', '--max-clients', '1'),
  },
  { command: 'trunk-group-limits show', as: 'client-operator', args: words('tg-limited') },
  { command: 'trunk-group-limits check', as: 'auditor', args: words('tg-limited') },
  { command: 'trunk-group-limits list', as: 'auditor' },
  { command: 'scope list', as: 'auditor' },
  { command: 'audit list', as: 'auditor' },
  {
    command: 'audit erase-name',
    as: 'administrator',
    args: words('https://login.example.com#tour'),
  },
  { command: 'report expiring', as: 'auditor' },
]);

/** The first key in a state that `signing-key list` printed. */
function findKey({ items }: Printed, state: string): Made {
  const keys = items as readonly { readonly kid: string; readonly state: string }[];
  return { kid: keys.find((one) => one.state === state)?.kid ?? `no key is ${state}` };
}

const aboutTables = stepsOf('signing-key-operator', [
  { command: 'signing-key list', keep: (printed) => findKey(printed, 'previous') },
  { command: 'signing-key plan' },
  // Not the first algorithm of the config: a choice, which waits for nothing.
  { command: 'signing-key rotate', args: words('--algorithm', 'RS256') },
  { command: 'signing-key withdraw', args: made('kid')('--emergency') },
  {
    command: 'table restore',
    as: 'restore-operator',
    args: ({ restored_table: table = '', restore_point: point = '' }) => [
      'clients',
      '--from',
      table,
      '--restore-point',
      point,
    ],
  },
]);

/** Steps that follow each other; the four rows need nothing of each other. */
export const commandSteps: readonly (readonly Step[])[] = [
  aboutClients,
  aboutApiKeys,
  aboutProviders,
  aboutTables,
];
