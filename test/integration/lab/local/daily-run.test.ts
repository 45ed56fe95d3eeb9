import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startLocal } from '../../../../lab/local/start-local.ts';
import { signIn } from '../../../../lab/support/portal-process.ts';
import { waitUntil } from '../../../../lab/support/wait-until.ts';
import { runCli } from '../../cli/use-authctl.ts';
import { sourceDemoEnvironment, spawnLocal, started, stop } from './spawned-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const authctl = (cwd: string, ...args: readonly string[]) => runCli([...args, '--local'], { cwd });

/** A client of the state in a folder, with a secret that expires in a week. */
async function createExpiring(folder: string): Promise<string> {
  const run = await startLocal({ port: 0, stateDirectory: join(folder, '.local') });
  onTestFinished(() => run.close());
  const create = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await authctl(folder, ...args, '--quiet');
    if (exitCode !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const client = ['--name', 'Billing', '--trunk-group', 'tg-1001', '--scope', 'messaging:view'];
  const id = await create('client', 'create', ...client);
  await create('client-secret', 'create', id, '--expires-in', '7d');
  await run.close();
  return id;
}

it('shows on /expiring and in authctl what expires, and has the notices in its log', async () => {
  const folder = temporaryDirectory();
  const state = join(folder, '.local');
  const clientId = await createExpiring(folder);
  const run = spawnLocal(['--state', state]);
  onTestFinished(() => stop(run));
  await started(run);
  const report = await waitUntil('the daily run was made', async () => {
    const { stdout, stderr } = await authctl(folder, 'report', 'expiring');
    return stderr.includes('As of ') && stdout;
  });
  expect(report).toContain(clientId);

  const { origin, href } = new URL(sourceDemoEnvironment(state)['PORTAL_URL'] ?? '');
  const address = href.split('/').slice(0, 4).join('/');
  const visitor = await signIn({ origin, address, url: href });
  const page = await (await visitor.get('/expiring')).text();
  expect(page).toMatch(/as of the daily run at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  expect(page).toContain(`/clients/${clientId}`);

  const log = await waitUntil('the daily run had ended', () => {
    const text = readFileSync(join(state, 'log.jsonl'), 'utf8');
    return text.includes('daily_run_complete') && text;
  });
  const lines = log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  expect(lines).toContainEqual(
    expect.objectContaining({
      service: 'notices',
      kind: 'expiring',
      detail: expect.objectContaining({ client_id: clientId }),
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ service: 'management', outcome: 'daily_run_complete', expiring: 1 }),
  );
});
