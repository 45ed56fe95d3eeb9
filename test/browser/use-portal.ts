import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LocalRun } from '../../lab/local/start-local.ts';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** What axe-core is asked: WCAG 2.2 AA, and what is good practice. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Links, buttons and folded parts that are lower than 24 pixels, other than those in a sentence. */
const lowTargets = `[...document.querySelectorAll('a, button, summary')]
  .filter((target) => target.checkVisibility() && target.closest('p, .visually-hidden') === null)
  .filter((target) => {
    const { width, height } = target.getBoundingClientRect();
    return width > 1 && height > 1 && height < 23.5;
  })
  .map((target) => target.outerHTML.slice(0, 200) + ' ' + target.getBoundingClientRect().height)`;

/** Fails unless axe-core finds nothing on the page. It is injected past the page's own policy. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(rules)} } })`,
  )) as AxeResults;
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${page.url()} ${id}: ${html} ${failureSummary}`),
  );
  expect(found).toEqual([]);
  expect(await page.evaluate<readonly string[]>(lowTargets), page.url()).toEqual([]);
}

interface OpenedPortal {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The address of the portal, which paths of its pages follow. */
  readonly origin: string;
  /** Errors of scripts and violations of the content security policy. */
  readonly problems: string[];
  /** Every response body that the browser got, as text. */
  readonly bodies: string[];
}

/** Opens the portal of a local run by its link, as a person does. */
export async function openPortal(
  browser: Browser,
  service: LocalRun,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenedPortal> {
  const { portalUrl = '' } = service;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  // The portal asks before a secret is left that was not copied.
  page.on('dialog', async (dialog) => dialog.accept());
  const problems: string[] = [];
  const bodies: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // A form that is refused is a response of 422, which the console reports.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(message.text());
  });
  page.on('response', (response) => {
    response.text().then(
      (text) => bodies.push(text),
      // A redirect has no body, and one that was left behind is gone.
      () => undefined,
    );
  });
  await page.goto(portalUrl);
  return { page, context, origin: portalUrl.replace(/\/enter\/.*/, ''), problems, bodies };
}
