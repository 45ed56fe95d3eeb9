import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startLoginPortal } from '../../lab/local/portal-login/start.ts';
import { basic } from '../../lab/support/token-request.ts';
import { useLocalService } from '../integration/lab/local/use-local-service.ts';
import { useBrowser } from '../support/browser.ts';
import { figure } from '../support/figure.ts';
import { expectAccessible } from './use-portal.ts';

const service = useLocalService({ startLoginPortal });
const browser = useBrowser();

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The portal's address, with a slash at its end. */
  readonly home: string;
}

async function open(options: { readonly javaScriptEnabled?: boolean } = {}): Promise<Opened> {
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

async function requestToken(clientId: string, secret: string): Promise<number> {
  const response = await fetch(service().tokenUrl, {
    method: 'POST',
    headers: { authorization: basic(clientId, secret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return response.status;
}

async function useExample(apiKey: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return (await fetch(service().exampleUrl, { headers })).status;
}

const readOnce = async (page: Page) => (await page.locator('[data-secret]').textContent()) ?? '';

/** Section 2 of the specification, as a customer's manager does it. */
async function manage({ page, home }: Opened): Promise<string> {
  await page.goto(`${home}clients/new`);
  await page.getByLabel('Name').fill('Dialer');
  await page.getByLabel('messaging view').check();
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByText('The client was created').waitFor();
  const clientId = /client_\w+/.exec(page.url())?.[0] ?? '';

  await page.getByRole('link', { name: 'New secret' }).click();
  await page.getByLabel('Name (optional)').fill('blue');
  await page.getByRole('button', { name: 'Create secret' }).click();
  const secret = await readOnce(page);
  expect(await requestToken(clientId, secret)).toBe(200);
  await page.getByRole('link', { name: 'I have copied it' }).click();

  await page.getByRole('link', { name: 'Rotate' }).click();
  await page.getByLabel('Now: callers').check();
  await page.getByRole('button', { name: 'Create the new secret' }).click();
  const rotated = await readOnce(page);
  expect([await requestToken(clientId, secret), await requestToken(clientId, rotated)]).toEqual([
    401, 200,
  ]);
  await page.getByRole('link', { name: 'I have copied it' }).click();

  await page.getByRole('button', { name: 'Disable client' }).click();
  await page.getByText('The client is disabled').waitFor();
  expect(await requestToken(clientId, rotated)).toBe(401);
  await page.getByRole('button', { name: 'Enable client' }).click();
  await page.getByText('The client is enabled').waitFor();

  await page.goto(`${home}api-keys/new`);
  await page.getByLabel('Name').first().fill('Ada’s key');
  await page.getByLabel('Name').nth(1).fill('this machine');
  await page.getByLabel('IP address').first().fill('127.0.0.0');
  await page.getByLabel('Netmask').first().fill('8');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const apiKey = await readOnce(page);
  expect(await useExample(apiKey)).toBe(200);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Disable API key' }).click();
  await page.getByText('The API key is disabled').waitFor();
  expect(await useExample(apiKey)).toBe(401);

  await page.goto(`${home}clients/${clientId}/history`);
  for (const words of ['Created a client', 'Rotated secrets', 'Disabled a client']) {
    await page.getByText(words).first().waitFor();
  }
  expect(await page.locator('.entry-actor').first().textContent()).toMatch(/^http.*#ada$/);
  await page.goto(`${home}clients/${clientId}/delete`);
  await page.getByRole('button', { name: 'Delete client' }).click();
  await page.getByText('The client was deleted').waitFor();
  return clientId;
}

describe('a customer in the portal with a login', () => {
  it('does everything of section 2 of the specification', async () => {
    const opened = await signInAs('Ada Lovelace');
    await manage(opened);
    await opened.context.close();
  });

  it('does so without JavaScript', async () => {
    const opened = await signInAs('Ada Lovelace', { javaScriptEnabled: false });
    await manage(opened);
    await opened.context.close();
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

  it('sees nothing of another customer', async () => {
    const ada = await signInAs('Ada Lovelace');
    await ada.page.goto(`${ada.home}clients`);
    await ada.page.getByRole('link', { name: 'Billing of acme' }).click();
    const path = new URL(ada.page.url()).pathname;
    const grace = await signInAs('Grace Hopper');
    await grace.page.goto(`${grace.home}clients`);
    await grace.page.getByRole('link', { name: 'Billing of globex' }).waitFor();
    const bodies = [await grace.page.content()];
    const tried = ['', '/edit', '/delete', '/secrets/new', '/secrets/rotate', '/history'];
    const statuses: (number | undefined)[] = [];
    for (const more of tried) {
      const response = await grace.page.goto(new URL(path + more, grace.home).href);
      statuses.push(response?.status());
      bodies.push(await grace.page.content());
    }
    expect(statuses).toEqual(tried.map(() => 404));
    const shown = bodies.filter((body) => body.includes('acme'));
    figure('pages of another customer', { tried: tried.length, shown: shown.length });
    expect(shown).toEqual([]);
    await ada.context.close();
    await grace.context.close();
  });

  it('changes nothing as a viewer', async () => {
    const { page, context, home } = await signInAs('Vic Turner');
    await page.goto(`${home}clients`);
    await page.getByRole('link', { name: 'Billing of acme' }).click();
    expect(await page.getByRole('link', { name: 'New secret' }).count()).toBe(0);
    expect((await page.goto(`${home}clients/new`))?.status()).toBe(403);
    await context.close();
  });
});

describe('the login', () => {
  it('tells a person without access whom to ask', async () => {
    const { page, context, home } = await signInAs('Eve Stone');
    await page.getByText('You have no access').waitFor();
    await page.getByText('linus@platform.example').waitFor();
    await expectAccessible(page);
    expect((await context.cookies(home)).filter(({ name }) => name === 'session')).toEqual([]);
    await context.close();
  });

  it('shows staff every customer', async () => {
    const { page, context, home } = await signInAs('Linus Pauling');
    for (const customer of ['acme', 'globex']) {
      await page.goto(`${home}clients?trunkGroup=tg-${customer}`);
      await page.getByRole('link', { name: `Billing of ${customer}` }).waitFor();
    }
    await context.close();
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
