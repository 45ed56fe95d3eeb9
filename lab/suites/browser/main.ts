import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findChromium } from '../../support/find-chromium.ts';

const vitest = resolve(import.meta.dirname, '../../../node_modules/.bin/vitest');

/** `npm run test:all -- browser [FILTER…]` runs the tests that need a browser, or says that it did not. */
const found = findChromium();
if ('missing' in found) {
  process.stdout.write(`SKIPPED: no browser tests: ${found.missing}\n`);
} else {
  const args = ['run', '--project', 'browser', ...process.argv.slice(2)];
  process.exitCode = spawnSync(vitest, args, { stdio: 'inherit' }).status ?? 1;
}
