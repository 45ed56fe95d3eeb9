import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readApiKeyId } from '../../../../core/credential/credential-value.ts';
import { startLocal } from '../../../../lab/local/start-local.ts';
import { signIn } from '../../../../lab/support/portal-process.ts';
import { waitUntil } from '../../../../lab/support/wait-until.ts';
import { runCli } from '../../cli/use-authctl.ts';
import { sourceDemoEnvironment, spawnLocal, started, stop } from './spawned-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const authctl = (cwd: string, ...args: readonly string[]) => runCli([...args, '--local'], { cwd });

/** The id of a key, of which `--quiet` prints only the value. */
function idOf(value: string): string {
  const keyId = readApiKeyId(value);
  if (keyId === undefined) throw new Error('it is no value of an API key');
  return keyId;
}

/** A client with a secret, and an API key, that expire in a week, and a key that does not. */
async function createExpiring(folder: string) {
  const run = await startLocal({ port: 0, stateDirectory: join(folder, '.local') });
  onTestFinished(() => run.close());
  const create = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await authctl(folder, ...args, '--quiet');
    if (exitCode !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const client = ['--name', 'Billing', '--trunk-group', 'tg-1001', '--scope', 'messaging:view'];
  const clientId = await create('client', 'create', ...client);
  await create('client-secret', 'create', clientId, '--expires-in', '7d');
  const key = ['api-key', 'create', '--trunk-group', 'tg-1001', '--name'];
  const value = await create(...key, 'Script', '--expires-in', '7d');
  const lasting = await create(...key, 'Lasting', '--expires-in', '40d');
  await run.close();
  return { clientId, keyId: idOf(value), lastingId: idOf(lasting) };
}

it('shows on /expiring and in authctl what expires, and has the notices in its log', async () => {
  const folder = temporaryDirectory();
  const state = join(folder, '.local');
  const { clientId, keyId, lastingId } = await createExpiring(folder);
  const run = spawnLocal(['--state', state]);
  onTestFinished(() => stop(run));
  await started(run);
  const report = await waitUntil('the daily run was made', async () => {
    const { stdout, stderr } = await authctl(folder, 'report', 'expiring');
    return stderr.includes('As of ') && stdout;
  });
  expect(report).toContain(clientId);
  expect(report).toContain(keyId);
  expect(report).not.toContain(lastingId);
  const { stdout: json } = await authctl(folder, 'report', 'expiring', '--json');
  expect(JSON.parse(json)).toMatchObject({
    items: expect.arrayContaining([
      {
        credential: 'api_key',
        service_trunk_group: 'tg-1001',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        key_id: keyId,
        key_name: 'Script',
      },
    ]),
  });

  const { origin, href } = new URL(sourceDemoEnvironment(state)['PORTAL_URL'] ?? '');
  const address = href.split('/').slice(0, 4).join('/');
  const visitor = await signIn({ origin, address, url: href });
  const page = await (await visitor.get('/expiring')).text();
  expect(page).toMatch(/as of the daily run at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  expect(page).toContain(`/clients/${clientId}`);
  expect(page).toContain(`/api-keys/${keyId}`);
  expect(page).not.toContain(lastingId);

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
    expect.objectContaining({
      service: 'notices',
      kind: 'expiring',
      detail: expect.objectContaining({
        credential: 'api_key',
        service_trunk_group: 'tg-1001',
        key_id: keyId,
        key_name: 'Script',
        days_to_expiry: 7,
        threshold_days: 7,
      }),
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ service: 'management', outcome: 'daily_run_complete', expiring: 2 }),
  );
});
