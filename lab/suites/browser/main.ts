import { findChromium } from '../../support/find-chromium.ts';
import { runVitest } from '../../support/run-vitest.ts';

/** `npm run test:all -- browser [FILTER…]` runs the tests that need a browser, or says that it did not. */
const found = findChromium();
if ('missing' in found) process.stdout.write(`SKIPPED: no browser tests: ${found.missing}\n`);
else process.exitCode = runVitest(['--project', 'browser', ...process.argv.slice(2)]);
