import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { runVisibly } from '../support/visible-wait.ts';

/*
 * `npm ci` installs what `npm start` and `authctl` need (.npmrc). This installs the rest, in the
 * versions of the lockfile: CDK, the checks and the tests. It does nothing if they are there.
 * Not `npm ci`, which begins with deleting what is installed: `npm install` puts it back if it fails.
 */

new Command('npm run setup').description('Installs what npm ci leaves out.').parse();

const root = resolve(import.meta.dirname, '../..');

/** One of each kind: the stacks, the types, the tests. */
const signs = ['aws-cdk-lib', '@biomejs/biome', 'vitest'];

const missing = signs.filter((name) => !existsSync(join(root, 'node_modules', name)));
if (missing.length > 0) {
  const args = ['install', '--include=dev', '--no-save', '--no-audit'];
  // npm names its own program: on Windows, `npm` is a script that Node does not start.
  const npm = process.env['npm_execpath'];
  const [command, head] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const what = 'Installing CDK and the tools of the tests, once, about 450 MB';
  const usual = '1 to 4 minutes';
  const { status, errors } = await runVisibly(what, usual, [command, ...head, ...args], root);
  process.stderr.write(errors);
  if (status !== 0) {
    process.stderr.write(
      `npm ${args.join(' ')} failed; without ${missing.join(', ')} this command cannot run\n`,
    );
    process.exitCode = 1;
  }
}
