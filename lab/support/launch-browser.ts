import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { findChromium } from './find-chromium.ts';
import { stepLimit } from './hang-limit.ts';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page reaches this machine and nothing else.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/**
 * Launches a headless Chromium.
 *
 * @throws {Error} if this machine has no Chromium; `npm run test:all -- browser` skips the tests there.
 */
export function launchBrowser({ args = [], ...options }: LaunchOptions = {}): Promise<Browser> {
  const found = findChromium();
  if ('missing' in found) throw new Error(found.missing);
  return chromium.launch({
    executablePath: found.path,
    headless: true,
    args: [...flags, ...args],
    timeout: stepLimit,
    ...options,
  });
}
