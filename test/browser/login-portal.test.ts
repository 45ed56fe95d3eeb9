import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import { toClientItem } from '../../adapters/dynamodb/items/client-item.ts';
import { createManagement } from '../../adapters/management.ts';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { customers } from '../../lab/local/portal-login/people.ts';
import { startLoginPortal } from '../../lab/local/portal-login/start.ts';
import { startLoopbackProvider } from '../../lab/support/loopback-provider.ts';
import { useLocalService } from '../integration/lab/local/use-local-service.ts';
import { useBrowser } from '../support/browser.ts';
import { clientOf, fill, listOf } from '../support/portal-tables.ts';
import { keyboard, mouse } from './hands.ts';
import {
  createClientUnderProvider,
  deleteProvider,
  doSectionTwo,
  registerProvider,
} from './section-two.ts';
import { expectAccessible } from './use-portal.ts';

const service = useLocalService({ startLoginPortal });
const browser = useBrowser();

/** Two customers of 250 clients each, among 10,000. */
beforeAll(async () => {
  const { aws, paths } = service();
  const { name } = JSON.parse(readFileSync(paths.deploymentConfig, 'utf8')) as { name: string };
  const groups = ['tg-acme', 'tg-globex'];
  const clients = listOf(10_000, (index) => clientOf(index, groups[Math.floor(index / 250)]));
  await fill(createDynamoDbClient(aws), name, 'clients', clients.map(toClientItem));
});

/** The management function, as the platform's staff calls it from a terminal. */
function openStaff() {
  const { aws, paths } = service();
  const input: unknown = JSON.parse(readFileSync(paths.deploymentConfig, 'utf8'));
  const config = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  return createManagement({ config, aws, alias: 'administrator' });
}

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The portal's address, with a slash at its end. */
  readonly home: string;
}

async function open(
  options: { readonly javaScriptEnabled?: boolean; readonly timezoneId?: string } = {},
): Promise<Opened> {
  const context = await browser().newContext(options);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const home = service().loginPortalUrl ?? '';
  await page.goto(home);
  return { page, context, home };
}

async function signInAs(name: string, options: Parameters<typeof open>[0] = {}): Promise<Opened> {
  const opened = await open(options);
  await opened.page.getByRole('button', { name }).click();
  return opened;
}

describe('a customer in the portal with a login', () => {
  it.each([
    ['a mouse', mouse, {}],
    ['only the keyboard', keyboard, {}],
    ['a mouse, without JavaScript', mouse, { javaScriptEnabled: false }],
    ['only the keyboard, without JavaScript', keyboard, { javaScriptEnabled: false }],
  ] as const)(
    'does everything of section 2 of the specification with %s',
    async (_, use, options) => {
      const provider = await startLoopbackProvider();
      const customer = await signInAs('Ada Lovelace', options);
      const signed = { hands: use(customer.page), home: customer.home, service: service() };
      await doSectionTwo(signed, 'tg-acme');
      // A provider is registered only by a person who has just signed in.
      const staff = await signInAs('Linus Pauling', options);
      const platform = { hands: use(staff.page), home: staff.home, service: service() };
      await registerProvider(platform, provider);
      await customer.page.goto(customer.home);
      const subject = `erp-${use.name}`;
      await openStaff().setSubjectGrant(provider.issuer, {
        value: subject,
        trunkGroups: [customers.acme],
      });
      await createClientUnderProvider(signed, provider, subject);
      await deleteProvider(platform, provider.issuer, !('javaScriptEnabled' in options));
      await staff.context.close();
      await customer.context.close();
      await provider.close();
    },
  );

  it('finds its own 250 clients among 10,000, and no other', async () => {
    const { page, context, home } = await signInAs('Ada Lovelace');
    await page.goto(`${home}clients`);
    // 250 of the table, and the one that the run itself made.
    await page.getByText('251 clients').waitFor();
    const groups = await page.locator('tbody td:nth-child(3)').allTextContents();
    expect([groups.length, [...new Set(groups)]]).toEqual([251, ['tg-acme']]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download as CSV' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    expect(file.split('\r\n')).toHaveLength(253);
    expect(file).not.toContain('globex');
    await context.close();
  });

  it('signs in, works and signs out with only the keyboard', async () => {
    const { page, context, home } = await open();
    const press = async (text: string) => {
      for (let presses = 0; presses < 60; presses++) {
        const focused = await page.evaluate<string>(
          'document.activeElement.textContent.trim() || document.activeElement.name || ""',
        );
        if (focused === text) {
          await page.keyboard.press('Enter');
          return;
        }
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${text}`);
    };
    await press('Ada Lovelace');
    await page.waitForURL(home);
    await press('Clients');
    await page.waitForURL(`${home}clients`);
    await press('Sign out');
    await page.getByRole('button', { name: 'Yes, sign me out' }).waitFor();
    await press('Yes, sign me out');
    await page.waitForURL(`${home}signed-out`);
    // Both sessions ended: the provider asks again.
    await page.goto(home);
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
    await context.close();
  });
});

describe('the login', () => {
  it('tells a person without access whom to ask', async () => {
    const { page, context, home } = await signInAs('Eve Stone');
    await page.getByText('You have no access').waitFor();
    await page.getByText('linus@platform.example').first().waitFor();
    await expectAccessible(page);
    expect((await context.cookies(home)).filter(({ name }) => name === 'session')).toEqual([]);
    await context.close();
  });

  it.each([
    ['a mouse', mouse, { javaScriptEnabled: true }],
    ['only the keyboard, without JavaScript', keyboard, { javaScriptEnabled: false }],
  ])('lets staff set a ceiling, which then binds the customer: %s', async (_, use, options) => {
    const staff = await signInAs('Linus Pauling', options);
    const hands = use(staff.page);
    await hands.press('Trunk groups');
    await hands.type('Trunk group', 'tg-globex');
    await hands.press('Open');
    await hands.press('Change limits');
    await hands.type('Clients', '3');
    await hands.type('Token lifetime', '10m');
    await hands.press('Show what would be above them');
    await staff.page.getByText('Nothing was saved yet.').waitFor();
    await hands.press('Save');
    await staff.page.getByText('The limits were saved.').waitFor();
    await staff.page.getByRole('link', { name: 'All clients' }).waitFor();
    // axe-core is a script.
    if (options.javaScriptEnabled) await expectAccessible(staff.page);

    const grace = await signInAs('Grace Hopper', options);
    await grace.page.goto(`${grace.home}clients`);
    await grace.page.locator('tbody a').first().click();
    await grace.page.getByRole('link', { name: 'Edit', exact: true }).click();
    await grace.page.getByText('1m to 10m').waitFor();
    const her = use(grace.page);
    // There is no form that would be refused.
    await grace.page.goto(`${grace.home}clients/new`);
    await grace.page.getByText(/tg-globex has \d+ of 3 clients/).waitFor();
    expect(await grace.page.getByRole('button', { name: 'Create client' }).count()).toBe(0);
    await her.press('Trunk groups');
    await her.press('tg-globex');
    await grace.page.getByText('At most 10 minutes').waitFor();
    await staff.context.close();
    await grace.context.close();
  });

  it('keeps its cookie to its own path', async () => {
    const { context, home } = await signInAs('Ada Lovelace');
    const cookies = await context.cookies(home);
    const session = cookies.find(({ name }) => name === 'session');
    expect(session).toMatchObject({
      path: new URL(home).pathname,
      httpOnly: true,
      sameSite: 'Lax',
    });
    expect(cookies.filter(({ name }) => name.startsWith('login-'))).toEqual([]);
    await context.close();
  });

  it('has pages that assistive technology can read', async () => {
    const { page, context, home } = await signInAs('Ada Lovelace');
    for (const path of ['', 'signed-out', 'login/done', 'login/callback?state=x', 'clients']) {
      await page.goto(home + path);
      await expectAccessible(page);
    }
    await context.close();
  });
});

it('a person in Denver gives a secret a day, and sees when it ends there', async () => {
  const timezoneId = 'America/Denver';
  const { page } = await signInAs('Ada Lovelace', { timezoneId });
  const { press, type, check } = mouse(page);
  await press('New client');
  await type('Name', 'Of an evening');
  await check(/messaging view/);
  await press('Create client');
  await press('New secret');
  // In the evening it is tomorrow in UTC already.
  const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('sv', {
    timeZone: timezoneId,
  });
  await check('On a day');
  await type('Day on which it expires', tomorrow);
  const local = new Date(`${tomorrow}T23:59:59Z`).toLocaleString('en-US', {
    timeZone: timezoneId,
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  expect(local).toMatch(/ M[SD]T$/);
  const readAll = async () => (await page.locator('main').innerText()).replaceAll('\u202f', ' ');
  expect(await readAll()).toContain(local);
  await press('Create secret');
  await press('I have copied it');
  const end = page.locator(`tbody time[datetime="${tomorrow}T23:59:59Z"]`);
  expect(await end.innerText()).toContain(`${tomorrow} UTC`);
  expect((await end.innerText()).replaceAll('\u202f', ' ')).toContain(local);
  await page.setViewportSize({ width: 390, height: 900 });
  // Nothing of it is cut off in a narrow window.
  const overflow =
    'document.querySelector(".table").scrollWidth - document.querySelector(".table").clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
});
