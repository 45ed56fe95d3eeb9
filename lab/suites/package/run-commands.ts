import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandGroups } from '../../../cli/command-groups.ts';
import { tableName } from '../../../contract/tables.ts';
import { formatTime } from '../../../core/time.ts';
import { startForwardAuthProcess } from '../../support/forward-auth-process.ts';
import { startPortalProcess } from '../../support/portal-process.ts';
import type { Command } from '../../support/run-command.ts';
import { visitPortal } from '../../support/use-local-run.ts';

/** Runs `authctl` with arguments. @returns what it printed. */
export type Authctl = (...args: readonly string[]) => Promise<string>;

/** One command of each group that loads what the group needs, about a client and a key of a run. */
function commandsAbout(
  clientId: string,
  keyId: string,
  folder: string,
): readonly (readonly string[])[] {
  const now = formatTime(Math.floor(Date.now() / 1000));
  // A local run starts without identity providers.
  const empty = tableName('local', 'identityProviders');
  return [
    ['client', 'list'],
    ['client-secret', 'list', clientId],
    ['key', 'create', join(folder, 'key.jwk')],
    ['api-key', 'list'],
    ['api-key-subnet', 'list', keyId],
    ['provider', 'list'],
    ['scope', 'list'],
    ['signing-key', 'list'],
    ['trunk-group', 'stop', 'tg-1001', '--yes'],
    ['trunk-group-limits', 'list'],
    ['audit', 'list'],
    ['table', 'restore', 'clients', '--from', empty, '--restore-point', now, '--dry-run'],
    ['explain', 'token', '--client-id', clientId],
  ];
}

/** Runs the portal of the installed package, and opens its first page and what that loads. */
export async function usePortal(
  command: Command,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const portal = await startPortalProcess({ command, environment });
  await visitPortal(portal);
  assert.equal(await portal.stop(), 'SIGINT');
}

/** Runs one command of every group against a local run. */
export async function runEveryGroup(authctl: Authctl, clientId: string): Promise<void> {
  const keyId = (await authctl('api-key', 'list', '--quiet')).trim();
  using folder = mkdtempDisposableSync(join(tmpdir(), 'key-'));
  const commands = commandsAbout(clientId, keyId, folder.path);
  const groups = new Set(commands.map(([group]) => group));
  assert.deepEqual(groups, new Set(commandGroups.map(({ name }) => name)));
  for (const command of commands) await authctl(...command);
}

/** Runs the installed check until it is ready, and asks it once. */
export async function useForwardAuth(
  command: Command,
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
