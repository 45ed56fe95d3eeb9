import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from '../../scripts/support/find-chromium.ts';
import { stepLimit } from '../../scripts/support/hang-limit.ts';

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

/** Launches a browser for the tests of a file. It is closed after them. */
export function useBrowser(options: LaunchOptions = {}): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser(options);
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('the browser has not started');
    return browser;
  };
}

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts and of the console, such as a violation of the content security policy. */
  readonly problems: readonly string[];
}

/** Opens an address in a context of its own: no cookies, storage or cache of another page. */
export async function openPage(browser: Browser, url: string): Promise<OpenedPage> {
  const context = await browser.newContext();
  context.setDefaultTimeout(stepLimit);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}
