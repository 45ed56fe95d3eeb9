import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseDemoEnvironment } from '../../contract/demo-environment.ts';
import { OutputProcess } from './output-process.ts';
import { signIn } from './portal-process.ts';
import { type Command, runOrThrow } from './run-command.ts';

/** Opens the first page of a portal, and what it loads from its package. */
export async function visitPortal(portal: Parameters<typeof signIn>[0]): Promise<void> {
  const visitor = await signIn(portal);
  const page = await (await visitor.get('/')).text();
  assert.match(page, /<h1>N(?:eeds|othing needs) attention<\/h1>/);
  const assets = page.match(/\/assets\/[^"]+/g) ?? [];
  assert.ok(assets.length >= 3, 'style, script and icon');
  for (const asset of assets) assert.equal((await visitor.get(asset)).status, 200, asset);
}

/**
 * Runs an installed local run, with any command that starts it, and asks it for a token, in the way
 * that it prints, and for what it reads from its package.
 *
 * @param folder where it writes its state, if not where it is started.
 */
export async function useLocalRun(
  command: Command,
  cwd: string,
  environment: NodeJS.ProcessEnv = process.env,
  folder = cwd,
): Promise<void> {
  const env = { ...environment, PORT: '0' };
  const running = new OutputProcess(command, { cwd, env, detached: true });
  try {
    await running.waitFor('it was ready', () => running.output.includes('Ctrl-C') || undefined);
    const curl = /^ {2}(curl .*token)$/m.exec(running.output)?.[1] ?? '';
    const answer = await runOrThrow(['sh', '-c', curl]);
    const { access_token: token = '' } = JSON.parse(answer) as { readonly access_token?: string };
    assert.equal(token.split('.').length, 3, answer);
    const text = readFileSync(join(folder, '.local/demo.env'), 'utf8');
    const { ISSUER = '', PORTAL_URL = '' } = parseDemoEnvironment(text);
    assert.equal((await fetch(`${ISSUER}/docs`)).status, 200);
    const { origin, pathname } = new URL(PORTAL_URL);
    const address = `${origin}/${pathname.split('/')[1]}`;
    await visitPortal({ origin, address, url: PORTAL_URL });
  } finally {
    await running.interrupt();
    rmSync(join(folder, '.local'), { recursive: true, force: true });
  }
  assert.match(running.output, /^Stopping\.$/m);
}
