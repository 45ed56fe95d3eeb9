import assert from 'node:assert/strict';
import { commandGroups } from '../../../cli/command-groups.ts';
import { tableName } from '../../../contract/tables.ts';
import { formatTime } from '../../../core/rfc3339.ts';
import { startForwardAuthProcess } from '../../support/forward-auth-process.ts';
import { startPortalProcess } from '../../support/portal-process.ts';
import { visitPortal } from '../../support/use-local-run.ts';

/** Runs `authctl` with arguments. @returns what it printed. */
export type Authctl = (...args: readonly string[]) => Promise<string>;

/** Something in a local run that commands can ask about. */
interface Subject {
  readonly clientId: string;
  readonly keyId: string;
  /** RFC 3339. */
  readonly now: string;
}

/** One command of each group that loads what the group needs, by the group's name. */
const commands: Readonly<Record<string, (subject: Subject) => readonly string[]>> = {
  client: () => ['list'],
  'client-secret': ({ clientId }) => ['list', clientId],
  'api-key': () => ['list'],
  'api-key-subnet': ({ keyId }) => ['list', keyId],
  provider: () => ['list'],
  scope: () => ['list'],
  'signing-key': () => ['list'],
  'trunk-group-limits': () => ['list'],
  audit: () => ['list'],
  report: () => ['expiring'],
  // A local run starts without identity providers.
  table: ({ now }) => {
    const empty = tableName('local', 'identityProviders');
    return ['restore', 'clients', '--from', empty, '--restore-point', now, '--dry-run'];
  },
  explain: ({ clientId }) => ['token', '--client-id', clientId],
};

/** Runs the portal of the installed package, and opens its first page and what that loads. */
export async function usePortal(
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const portal = await startPortalProcess({ command, environment });
  await visitPortal(portal);
  assert.equal(await portal.stop(), 'SIGINT');
}

/** Runs one command of every group against a local run. */
export async function runEveryGroup(authctl: Authctl, clientId: string): Promise<void> {
  const names = commandGroups.map(({ name }) => name);
  assert.deepEqual(Object.keys(commands).sort(), [...names].sort(), 'a command of every group');
  const keyId = (await authctl('api-key', 'list', '--quiet')).trim();
  const now = formatTime(Math.floor(Date.now() / 1000));
  for (const name of names) {
    await authctl(name, ...(commands[name]?.({ clientId, keyId, now }) ?? []));
  }
}

/** Runs the installed check until it is ready, and asks it once. */
export async function useForwardAuth(
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { ISSUER = '', AUDIENCE = '', API_KEY = '' } = environment;
  const running = await startForwardAuthProcess({
    command,
    args: ['--issuer', ISSUER, '--audience', AUDIENCE, '--tables', 'local'],
    environment,
  });
  const headers = { authorization: `Bearer ${API_KEY}` };
  const answer = await fetch(`${running.address}/verify/messaging:view`, { headers });
  assert.equal(answer.headers.get('x-auth-credential'), 'api_key');
  assert.equal(await running.stop(), 0);
}
