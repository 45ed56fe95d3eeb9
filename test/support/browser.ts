import type { Browser, LaunchOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { stepLimit } from '../../lab/support/hang-limit.ts';
import { launchBrowser } from '../../lab/support/launch-browser.ts';

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

interface OpenedPage {
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
