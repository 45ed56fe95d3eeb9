import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommands } from '../../../lab/build/packages.ts';
import { findFreePort } from '../../../lab/emulator/loopback-server.ts';
import { learnIds, missingLines } from '../../../lab/support/docs/compare-output.ts';
import { ShellSession } from '../../../lab/support/docs/shell-session.ts';
import {
  codeBlocks,
  commandsOf,
  isShell,
  markdownFiles,
  readPage,
  root,
} from '../../../lab/support/markdown.ts';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const workspace = makeTemporaryDirectory();
const state = join(workspace.path, '.local');
// With TLS, as the libraries of the examples want it; pages that say http get https here.
const service = useLocalService({ https: true, stateDirectory: state });

const cdk = join(root, 'node_modules/.bin/cdk');
/** Built from the sources, as a clone runs it. */
const authctl = join(workspace.path, '.authctl');

/** Commands of the pages in place of the real ones, by name. */
const replacements = {
  // Other tests use the bundles meanwhile, so none of them may be built again.
  cdk: `exec "${cdk}" --build true "$@"`,
  // A command that only starts something is not run, and its block says so.
  npm: 'echo "npm $* is not run by this test; say so before the block" >&2; exit 1',
  // A package of this project in 10 ms where npx takes a second. Nothing but `npx --no --` is run,
  // because without it npx downloads what is not installed.
  npx: `case "$1 $2" in "--no --") shift 2 ;; "cdk "*) ;; *) echo "npx $* can download" >&2; exit 1 ;; esac
npm_command=exec exec "$@"`,
  authctl: `exec "${process.execPath}" "${join(authctl, 'authctl.js')}" "$@"`,
};

/** A folder that looks like a clone, whose state is this test's and whose commands are fast. */
function makeClone(): void {
  if (!existsSync(join(root, 'dist/lambda'))) {
    execFileSync(process.execPath, [join(root, 'lab/build/main.ts'), 'lambda']);
  }
  for (const name of readdirSync(root)) {
    if (!['.local', '.git', 'cdk.out'].includes(name))
      symlinkSync(join(root, name), join(workspace.path, name));
  }
  buildCommands(['packages/authctl'], () => authctl);
  const bin = join(workspace.path, '.bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(replacements)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

function openShell(): ShellSession {
  const path = [join(workspace.path, '.bin'), join(root, 'node_modules/.bin'), process.env['PATH']];
  return new ShellSession(workspace.path, {
    ...service().environment,
    ...programEnvironment(),
    // test/lib/synthesis.test.ts has what validation says of these configs.
    CDK_VALIDATION: 'false',
    PATH: path.join(delimiter),
    HOME: workspace.path,
  });
}

/** Secrets that were made in one second are listed in any order, and a page shows the order of their making. */
async function leaveSecond(command: string): Promise<void> {
  if (!/client-secret (?:create|rotate)/.test(command)) return;
  const second = Math.floor(Date.now() / 1000);
  await waitUntil('the second is over', () => Math.floor(Date.now() / 1000) > second);
}

/** Exit codes are for scripts; a page that shows a refusal shows a command that exits with 1. */
function mayFail(output: readonly string[]): boolean {
  return output.some((line) => line.startsWith('Refused'));
}

beforeAll(makeClone);
afterAll(() => workspace.remove());

const pages = markdownFiles()
  .map((path) => ({
    path,
    blocks: codeBlocks(readPage(path)).filter(
      (block) => isShell(block) && block.notRun === undefined,
    ),
  }))
  .filter(({ blocks }) => blocks.length > 0);

describe('the commands of', () => {
  it.each(pages)('$path do what the page shows', async ({ path, blocks }) => {
    const shell = openShell();
    const providerPort = await findFreePort();
    const ids = new Map<string, string>([['CLIENT_ID', service().clientId]]);
    try {
      for (const { command, output } of blocks.flatMap(commandsOf)) {
        let text = command
          .replaceAll('http://localhost:8080', service().issuer)
          .replaceAll('localhost:9443', `localhost:${providerPort}`);
        for (const [theirs, ours] of ids) {
          text = text.replaceAll(new RegExp(String.raw`(?<![$\w{"])${theirs}\b(?!=)`, 'g'), ours);
        }
        const result = await shell.run(text);
        const what = `${path}: ${command}\n${result.output}`;
        if (!mayFail(output)) expect(result.code, what).toBe(0);
        const shown = result.output.replaceAll(`localhost:${providerPort}`, 'localhost:9443');
        expect(missingLines(output, shown), what).toEqual([]);
        learnIds(output, shown, ids);
        await leaveSecond(command);
      }
    } finally {
      await shell.run('kill $! 2>/dev/null');
      shell.close();
    }
  });

  it('is a real test: what a page shows wrongly is seen', () => {
    expect(missingLines(['{"error":"invalid_client"}'], '{"error":"invalid_scope"}')).toHaveLength(
      1,
    );
    expect(
      missingLines(['expires  2027-02-19T01:51:43Z'], 'expires    2028-01-01T00:00:00Z'),
    ).toEqual([]);
  });
});
