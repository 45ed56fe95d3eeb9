import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Runs tests on this terminal. @returns the exit code. */
export function runVitest(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): number {
  const { status } = spawnSync(resolve(root, 'node_modules/.bin/vitest'), ['run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}
