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

/** Members of a printed document. */
function keep(...names: readonly string[]): (printed: Printed) => Made {
  return (printed) => Object.fromEntries(names.map((name) => [name, String(printed[name])]));
}

const client = ({ client_id = '' }: Made) => [client_id];
const secret = ({ client_id = '', secret_id = '' }: Made) => [client_id, secret_id];
const key = ({ key_id = '' }: Made) => [key_id];
const newClient = ['--name', 'Tour', '--trunk-group', 'tg-tour', '--scope', 'messaging:view'];

const aboutClients: readonly Step[] = [
  {
    command: 'client create',
    as: 'client-operator',
    args: () => newClient,
    keep: keep('client_id'),
  },
  { command: 'client list', as: 'client-operator', args: () => ['--trunk-group', 'tg-tour'] },
  { command: 'client show', as: 'client-operator', args: client },
  {
    command: 'client update',
    as: 'client-operator',
    args: (made) => [...client(made), '--name', 'B'],
  },
  {
    command: 'client-secret create',
    as: 'client-operator',
    args: client,
    keep: keep('secret_id'),
  },
  { command: 'client-secret list', as: 'client-operator', args: client },
  {
    command: 'client-secret update',
    as: 'client-operator',
    args: (made) => [...secret(made), '--name', 'blue'],
  },
  { command: 'client-secret disable', as: 'client-operator', args: secret },
  { command: 'client-secret enable', as: 'client-operator', args: secret },
  { command: 'client-secret rotate', as: 'client-operator', args: client },
  { command: 'client-secret delete', as: 'client-operator', args: secret },
  {
    command: 'explain token',
    as: 'client-operator',
    args: (made) => ['--client-id', ...client(made)],
  },
  { command: 'client disable', as: 'client-operator', args: client },
  { command: 'client enable', as: 'client-operator', args: client },
  { command: 'client revoke-tokens', as: 'client-operator', args: client },
  { command: 'portal', as: 'client-operator' },
  { command: 'doctor', as: 'account' },
  { command: 'audit history', as: 'auditor', args: client },
  { command: 'client delete', as: 'client-operator', args: client },
];

const aboutApiKeys: readonly Step[] = [
  {
    command: 'api-key create',
    as: 'api-key-operator',
    args: () => ['--name', 'Tour', '--trunk-group', 'tg-tour'],
    keep: keep('key_id', 'api_key'),
  },
  { command: 'api-key list', as: 'api-key-operator', args: () => ['--trunk-group', 'tg-tour'] },
  { command: 'api-key show', as: 'api-key-operator', args: key },
  {
    command: 'api-key rename',
    as: 'api-key-operator',
    args: (made) => [...key(made), '--name', 'B'],
  },
  {
    command: 'api-key update',
    as: 'api-key-operator',
    args: (made) => [...key(made), '--expires-in', '90d'],
  },
  {
    command: 'api-key rotate',
    as: 'api-key-operator',
    args: key,
    keep: keep('api_key'),
  },
  {
    command: 'explain request',
    as: 'auditor',
    args: ({ own_issuer = '' }) => ['--bearer-stdin', '--issuer', own_issuer],
    input: ({ api_key = '' }) => api_key,
  },
  {
    command: 'api-key-subnet add',
    as: 'api-key-operator',
    args: (made) => [...key(made), '--name', 'office', '--address', '203.0.113.0/24'],
    keep: keep('subnet_id'),
  },
  { command: 'api-key-subnet list', as: 'api-key-operator', args: key },
  {
    command: 'api-key-subnet remove',
    as: 'api-key-operator',
    args: ({ key_id = '', subnet_id = '' }) => [key_id, subnet_id, '--allow-any-source'],
  },
  { command: 'api-key disable', as: 'api-key-operator', args: key },
  { command: 'api-key enable', as: 'api-key-operator', args: key },
  { command: 'api-key delete', as: 'api-key-operator', args: key },
];

const issuer = ({ issuer = '' }: Made) => [issuer];
const discoveryUrl = ({ issuer = '' }: Made) => [`${issuer}/.well-known/openid-configuration`];

const aboutProviders: readonly Step[] = [
  { command: 'provider inspect', as: 'provider-operator', args: discoveryUrl },
  {
    command: 'provider register',
    as: 'provider-operator',
    args: (made) => [...discoveryUrl(made), '--trunk-group', 'tg-tour'],
  },
  { command: 'provider list', as: 'provider-operator' },
  { command: 'provider show', as: 'provider-operator', args: issuer },
  {
    command: 'provider assign',
    as: 'provider-operator',
    args: (made) => [...issuer(made), '--platform'],
  },
  {
    command: 'provider grant',
    as: 'administrator',
    args: (made) => [...issuer(made), 'tour', '--trunk-group', 'tg-tour'],
  },
  {
    command: 'provider grant-issuer',
    as: 'administrator',
    args: () => ['https://sso.example.com/realms/tour', '--trunk-group', 'tg-tour'],
  },
  { command: 'provider grants', as: 'provider-operator' },
  { command: 'provider check', as: 'provider-operator' },
  { command: 'provider delete', as: 'provider-operator', args: issuer },
  {
    command: 'trunk-group-limits set',
    as: 'administrator',
    args: () => ['tg-limited', '--max-clients', '1'],
  },
  { command: 'trunk-group-limits show', as: 'client-operator', args: () => ['tg-limited'] },
  { command: 'trunk-group-limits check', as: 'auditor', args: () => ['tg-limited'] },
  { command: 'trunk-group-limits list', as: 'auditor' },
  { command: 'scope list', as: 'auditor' },
  { command: 'audit list', as: 'auditor' },
  {
    command: 'audit erase-name',
    as: 'administrator',
    args: () => ['https://login.example.com#tour'],
  },
  { command: 'report expiring', as: 'auditor' },
];

/** The first key in a state that `signing-key list` printed. */
function findKey({ items }: Printed, state: string): Made {
  const keys = items as readonly { readonly kid: string; readonly state: string }[];
  return { kid: keys.find((one) => one.state === state)?.kid ?? `no key is ${state}` };
}

const restored = ({ restored_table = '' }: Made) => ['clients', '--from', restored_table];

const aboutTables: readonly Step[] = [
  {
    command: 'signing-key list',
    as: 'signing-key-operator',
    keep: (printed) => findKey(printed, 'previous'),
  },
  { command: 'signing-key plan', as: 'signing-key-operator' },
  { command: 'signing-key history', as: 'signing-key-operator' },
  {
    command: 'signing-key rotate',
    as: 'signing-key-operator',
    // Not the first of the config: a choice, which waits for nothing.
    args: () => ['--algorithm', 'RS256'],
  },
  {
    command: 'signing-key withdraw',
    as: 'signing-key-operator',
    args: ({ kid = '' }) => [kid, '--emergency'],
  },
  {
    command: 'table copy',
    // There is no policy for it: it copies the signing keys too, which no operator may write.
    as: 'account',
    args: (made) => [...restored(made), '--dry-run'],
    // Clients of other steps are only in the deployment's own table.
    code: 1,
  },
  {
    command: 'table restore',
    as: 'restore-operator',
    args: (made) => [...restored(made), '--restore-point', made['restore_point'] ?? ''],
  },
];

/** Steps that follow each other; the four rows need nothing of each other. */
export const commandSteps: readonly (readonly Step[])[] = [
  aboutClients,
  aboutApiKeys,
  aboutProviders,
  aboutTables,
];
