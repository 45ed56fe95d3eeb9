import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * `npm ci` installs what `npm start` and `authctl` need (.npmrc). This installs the rest, in the
 * versions of the lockfile: CDK, the checks and the tests. It does nothing if they are there.
 * Not `npm ci`, which begins with deleting what is installed: `npm install` puts it back if it fails.
 */

const root = resolve(import.meta.dirname, '../..');

/** One of each kind: the stacks, the types, the tests. */
const signs = ['aws-cdk-lib', '@biomejs/biome', 'vitest'];

const missing = signs.filter((name) => !existsSync(join(root, 'node_modules', name)));
if (missing.length > 0) {
  process.stdout.write('Installing CDK and the tools of the tests, once: about 450 MB.\n');
  const args = ['install', '--include=dev', '--no-save', '--no-audit'];
  // npm names its own program: on Windows, `npm` is a script that Node does not start.
  const npm = process.env['npm_execpath'];
  const [command, head] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const { status, error } = spawnSync(command, [...head, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(
      `npm ${args.join(' ')} failed${error === undefined ? '' : ` (${error.message})`}; without ${missing.join(', ')} this command cannot run\n`,
    );
    process.exitCode = 1;
  }
}
