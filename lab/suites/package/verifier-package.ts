import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startForwardAuthProcess } from '../../support/forward-auth-process.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'verifier');

const { name, version, exports } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
) as {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
};

export type Run = (
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
) => Promise<string>;

/** Packs the verifier's package, as built, and unpacks it into a project. */
export async function installVerifier(project: string, run: Run): Promise<string> {
  const pack = ['npm', 'pack', '--silent', '--workspaces=false', '--pack-destination', project];
  await run(pack as [string, ...string[]], { cwd: folder });
  const target = join(project, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  const tarball = join(project, `${name}-${version}.tgz`);
  await run(['tar', '-xzf', tarball, '-C', target, '--strip-components=1'], { cwd: project });
  return target;
}

/** What an installation is, for the person who reads the output. */
export function describeInstallation(installed: string): string {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .map((file) => statSync(join(installed, file)))
    .filter((entry) => entry.isFile());
  const kilobytes = files.reduce((sum, { size }) => sum + size, 0) / 1000;
  return `${name}: ${files.length} files, ${Math.round(kilobytes)} KB, no other package`;
}

/** Compiles the consumer, which must use every entry but the command. */
export async function compileVerifierConsumer(project: string, run: Run): Promise<void> {
  const source = join(root, 'lab/suites/package/consumer/use-verifier.ts');
  const text = readFileSync(source, 'utf8');
  const entries = Object.keys(exports)
    .filter((entry) => !/package\.json$|forward-auth$/.test(entry))
    .map((entry) => `'${name}${entry.slice(1)}'`);
  const unused = entries.filter((entry) => !text.includes(entry));
  assert.deepEqual(unused, [], 'entries that use-verifier.ts does not use');
  for (const file of ['use-verifier.ts', 'tsconfig.json']) {
    cpSync(join(root, 'lab/suites/package/consumer', file), join(project, file));
  }
  await run([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: project });
}

/** Runs the installed command until it is ready, and asks it once. */
export async function useCommand(
  node: string,
  installed: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { ISSUER = '', AUDIENCE = '', API_KEY = '' } = environment;
  const running = await startForwardAuthProcess({
    command: [node, join(installed, 'bin/forward-auth.js')],
    args: ['--issuer', ISSUER, '--audience', AUDIENCE, '--tables', 'local'],
    environment,
  });
  const headers = { authorization: `Bearer ${API_KEY}` };
  const answer = await fetch(`${running.address}/verify/messaging:view`, { headers });
  assert.equal(answer.headers.get('x-auth-credential'), 'api_key');
  assert.equal(await running.stop(), 0);
}
