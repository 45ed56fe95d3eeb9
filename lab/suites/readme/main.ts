import assert from 'node:assert/strict';
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { learnIds, missingLines } from '../../support/docs/compare-output.ts';
import { ShellSession } from '../../support/docs/shell-session.ts';
import { codeBlocks, commandsOf, isShell, readPage } from '../../support/markdown.ts';
import { OutputProcess } from '../../support/output-process.ts';
import { runCommand, runOrThrow } from '../../support/run-command.ts';
import { useLocalRun } from '../../support/use-local-run.ts';
import { type BareClone, makeBareClone } from './bare-clone.ts';

/*
 * The blocks of README and of the pages that a reader opens next, word for word and in their order,
 * from the start of the reader: a clone in which nothing is installed, an empty HOME and the Node of
 * the machine. `npm ci` is run once; all blocks use that clone.
 */

const root = resolve(import.meta.dirname, '../../..');

/** The blocks of shell commands below a heading of a page. */
function blocksBelow(page: string, heading: string) {
  const section = readPage(page)
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  return codeBlocks(section ?? assert.fail(`${page} has no ${heading}`)).filter(isShell);
}

const linesOf = (page: string, heading: string, index = 0): readonly string[] =>
  blocksBelow(page, heading)[index]?.lines ?? assert.fail(`no block below ${heading}`);

/** Starts the service, and runs the sessions of pages next to it as a second terminal would. */
async function besideService(
  start: string,
  { folder, onlyEnvironment }: BareClone,
  use: (shell: ShellSession) => Promise<void>,
): Promise<void> {
  const running = new OutputProcess(['sh', '-c', start], {
    cwd: folder,
    env: { ...onlyEnvironment, PORT: '0' },
    detached: true,
  });
  const shell = new ShellSession(folder, onlyEnvironment);
  try {
    await running.waitFor('it was ready', () => running.output.includes('Ctrl-C') || undefined);
    await use(shell);
  } finally {
    shell.close();
    await running.interrupt();
  }
}

/** Runs the blocks of a page that are not marked, each command with the output that it shows. */
async function runPage(page: string, shell: ShellSession): Promise<void> {
  const blocks = codeBlocks(readPage(page)).filter(isShell);
  const ids = new Map<string, string>();
  for (const { command, output } of blocks
    .filter(({ notRun }) => notRun === undefined)
    .flatMap(commandsOf)) {
    const result = await shell.run(command);
    const what = `${page}: ${command}\n${result.output}`;
    if (!output.some((line) => line.startsWith('Refused'))) assert.equal(result.code, 0, what);
    assert.deepEqual(missingLines(output, result.output), [], what);
    learnIds(output, result.output, ids);
  }
  console.info(`${page}: its commands print what it shows`);
}

/** README's Install, word for word: no registry has the packages of this project. */
async function install({ folder, onlyEnvironment }: BareClone): Promise<void> {
  const lines = linesOf('README.md', 'Install');
  const start = lines.at(-1) ?? '';
  assert.match(start, /^npm start --prefix my-authorization\b/);
  const script = ['set -eu', ...lines.slice(0, -1)].join('\n');
  await runOrThrow(['sh', '-c', script], { cwd: folder, onlyEnvironment });
  const project = join(folder, 'my-authorization');
  const manifest = readFileSync(join(project, 'package.json'), 'utf8');
  assert.match(manifest, /"file:\.\.\/archives\/authorization-server-aws-constructs-/);
  await useLocalRun(['sh', '-c', `exec ${start}`], folder, onlyEnvironment, project);
  console.info("README's Install leads from archives to a token");
  const synth = ['npx', '--no', '--', 'cdk', 'synth', '--quiet'] as const;
  await runOrThrow(synth, { cwd: project, onlyEnvironment });
  console.info('npx cdk synth in that project makes its stack');
}

/** An installation that fails takes nothing away: a registry that does not answer, no cache. */
async function failToInstall({ folder, onlyEnvironment }: BareClone, work: string): Promise<void> {
  const offline = {
    ...onlyEnvironment,
    NPM_CONFIG_REGISTRY: 'http://127.0.0.1:9',
    NPM_CONFIG_CACHE: join(work, 'no-cache'),
    NPM_CONFIG_FETCH_RETRIES: '0',
  };
  const { code, output } = await runCommand(['npm', 'run', 'setup'], {
    cwd: folder,
    onlyEnvironment: offline,
  });
  assert.equal(code, 1, output);
  for (const name of ['commander', 'esbuild', 'node', 'jose']) {
    assert.ok(existsSync(join(folder, 'node_modules', name, 'package.json')), name);
  }
  console.info('an installation that fails leaves what was installed');
}

using temporary = mkdtempDisposableSync(join(tmpdir(), 'readme-'));
const work = temporary.path;
const clone = await makeBareClone(root, work);
const [start = '', test = ''] = linesOf('README.md', 'Start');
assert.match(start, /^npm ci && npm start\b/);
// CI's own checkout is the bare clone of the second line.
const [testLine = ''] = test.split(/ +#/);
assert.match(testLine, /^npm ci && npm test$/);
assert.ok(readFileSync(join(root, '.ci/run'), 'utf8').split('\n').includes(testLine));
await besideService(start, clone, async (shell) => {
  await runPage('README.md', shell);
  await runPage('docs/getting-started.md', shell);
});
await failToInstall(clone, work);
await besideService(linesOf('examples/README.md', 'Run one')[0] ?? '', clone, (shell) =>
  runPage('examples/README.md', shell),
);
await install(clone);
