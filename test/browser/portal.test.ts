import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindManagement } from '../../adapters/management.ts';
import { createManagementContext } from '../../adapters/management-tables.ts';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { listenOnLoopback } from '../../lab/emulator/loopback-server.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../lab/support/loopback-provider.ts';
import { signToken } from '../../lab/support/test-issuer.ts';
import { basic } from '../../lab/support/token-request.ts';
import { useLocalService } from '../integration/lab/local/use-local-service.ts';
import { useBrowser } from '../support/browser.ts';
import { figure } from '../support/figure.ts';
import { expectAccessible, openPortal } from './use-portal.ts';

const service = useLocalService({ portal: true });
// Playwright switches the back/forward cache off, and a test of Back would prove nothing.
const browser = useBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });

let provider: LoopbackProvider;
beforeAll(async () => {
  provider = await startLoopbackProvider();
});
afterAll(() => provider.close());

/** Every credential that a page showed. They are searched for at the end. */
const credentials: string[] = [];

async function readOnce(page: Page): Promise<string> {
  const value = (await page.locator('[data-secret]').textContent()) ?? '';
  expect(value).toMatch(/^(?:cs|ak)_\w+$/);
  credentials.push(value);
  return value;
}

async function requestToken(clientId: string, secret: string, scope = '') {
  const response = await fetch(service().tokenUrl, {
    method: 'POST',
    headers: { authorization: basic(clientId, secret) },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) }),
  });
  const body = (await response.json()) as { access_token?: string; error?: string };
  return { status: response.status, ...body };
}

async function useExample(credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}` };
  return (await fetch(service().exampleUrl, { headers })).status;
}

const idIn = (page: Page, kind: string) =>
  new RegExp(`${kind}_[0-9A-Za-z]{22}`).exec(page.url())?.[0] ?? '';

/** The staff types a group, with those that are known as suggestions. */
async function chooseTrunkGroup(page: Page): Promise<void> {
  await page.getByLabel('Service trunk group').fill('tg-1001');
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function createClient(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Clients', exact: true }).click();
  await page.getByRole('link', { name: 'New client' }).first().click();
  await chooseTrunkGroup(page);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('messaging view').check();
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByText('The client was created').waitFor();
  return idIn(page, 'client');
}

async function createSecret(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'New secret' }).click();
  await page.getByLabel('Name (optional)').fill(name);
  await page.getByRole('button', { name: 'Create secret' }).click();
  return readOnce(page);
}

describe('section 2 of the specification, in the browser', () => {
  it('a client: created, shown, changed, disabled, enabled, deleted', async () => {
    const { page, context, origin, problems } = await openPortal(browser(), service());
    const clientId = await createClient(page, 'Billing');
    const facts = await page.locator('.facts').first().textContent();
    for (const shown of [
      clientId,
      'tg-1001',
      'messaging:view',
      '1 hour',
      'https://api.example.com',
      'This service',
    ]) {
      expect(facts).toContain(shown);
    }
    const secret = await createSecret(page, 'blue');
    const issued = await requestToken(clientId, secret);
    expect(issued.status).toBe(200);
    expect(await useExample(issued.access_token ?? '')).toBe(200);
    expect((await requestToken(clientId, secret, 'calls:view')).error).toBe('invalid_scope');

    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Edit', exact: true }).first().click();
    await page.getByLabel('Name').fill('Billing EU');
    await page.getByLabel('Token lifetime').fill('15 m');
    await page.getByLabel('calls view').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.locator('h1').textContent()).toBe('Billing EU');
    expect((await requestToken(clientId, secret, 'calls:view')).status).toBe(200);

    await page.getByRole('button', { name: 'Disable client' }).click();
    await page.getByText('The client is disabled').waitFor();
    expect((await requestToken(clientId, secret)).error).toBe('invalid_client');
    await page.getByRole('link', { name: 'If it is refused' }).click();
    await page.getByText('the client is stopped by a person').waitFor();
    await page.goto(`${origin}/clients/${clientId}`);
    await page.getByRole('button', { name: 'Enable client' }).click();
    await page.getByText('The client is enabled').waitFor();
    expect((await requestToken(clientId, secret)).status).toBe(200);

    await page.getByRole('link', { name: 'Delete client…' }).click();
    await page.getByText('Its secret stops working').waitFor();
    await page.getByRole('button', { name: 'Delete client' }).click();
    await page.getByText('The client was deleted.').waitFor();
    expect((await requestToken(clientId, secret)).error).toBe('invalid_client');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a secret: rotated with an overlap, given another end, deleted', async () => {
    const { page, context, problems } = await openPortal(browser(), service());
    const clientId = await createClient(page, 'Dialer');
    const old = await createSecret(page, 'old');
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Rotate' }).click();
    await page.getByLabel('In 1 day').check();
    await page.getByLabel('Name (optional)').fill('new');
    await page.getByLabel('In 90 days').check();
    await page.getByRole('button', { name: 'Create the new secret' }).click();
    const fresh = await readOnce(page);
    expect((await requestToken(clientId, old)).status).toBe(200);
    expect((await requestToken(clientId, fresh)).status).toBe(200);
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByText('Expires soon').waitFor();

    await page.getByRole('link', { name: 'Edit new' }).click();
    await page.getByLabel('On a day').check();
    await page.getByLabel('Day on which it expires').fill('2040-03-31');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.locator('tbody time[datetime="2040-03-31T23:59:59Z"]').count()).toBe(1);

    await page.getByRole('link', { name: 'Delete old' }).click();
    await page.getByText('It was last used today').waitFor();
    await page.getByRole('button', { name: 'Delete secret' }).click();
    await page.getByText('Deleted. It no longer').waitFor();
    expect((await requestToken(clientId, old)).error).toBe('invalid_client');
    expect((await requestToken(clientId, fresh)).status).toBe(200);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('an API key: subnets, renamed, the checkbox, deleted', async () => {
    const { page, context, problems } = await openPortal(browser(), service());
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('link', { name: 'New API key' }).first().click();
    await chooseTrunkGroup(page);
    await page.getByLabel('Name', { exact: true }).first().fill('Ada');
    await page.getByLabel('IP address').first().fill('203.0.113.77');
    await page.getByLabel('Netmask').first().fill('255.0.255.0');
    await page.locator('#f-subnets-0--name').fill('office');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('whose one bits are not contiguous').first().waitFor();
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Ada');
    await page.getByLabel('Netmask').first().fill('255.255.255.0');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const key = await readOnce(page);
    expect(await useExample(key)).toBe(401);

    await page.getByRole('link', { name: 'I have copied it' }).click();
    expect(await page.locator('table').textContent()).toContain('203.0.113.0255.255.255.0/24');
    await page.getByLabel('Name', { exact: true }).fill('this machine');
    await page.getByLabel('IP address').fill('127.0.0.0/8');
    await page.getByRole('button', { name: 'Add subnet' }).click();
    await page.getByText('The subnet was added.').waitFor();
    expect(await useExample(key)).toBe(200);

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('messaging view').check();
    expect(await page.getByLabel('Only these scopes').isChecked()).toBe(true);
    await page.getByLabel(/^Everything that/).check();
    expect(await page.getByLabel('messaging view').isChecked()).toBe(false);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.locator('h1').textContent()).toBe('Ada Lovelace');
    await page.getByRole('button', { name: 'Disable API key' }).click();
    await page.getByText('The API key is disabled.').waitFor();
    expect(await useExample(key)).toBe(401);
    await page.getByRole('button', { name: 'Enable API key' }).click();
    expect(await useExample(key)).toBe(200);

    await page.getByRole('link', { name: 'Remove office' }).click();
    await page.getByRole('button', { name: 'Remove subnet' }).click();
    await page.getByText('The subnet was removed.').waitFor();
    await page.getByRole('link', { name: 'Remove this machine' }).click();
    await page.getByText('every address on the internet can use the key').waitFor();
    await page.getByRole('button', { name: /let every address use the key/ }).click();
    await page.getByText('Any address').waitFor();
    await page.getByRole('link', { name: 'Delete API key…' }).click();
    await page.getByRole('button', { name: 'Delete API key' }).click();
    await page.getByText('The API key was deleted.').waitFor();
    expect(await useExample(key)).toBe(401);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('an identity provider: filled in, registered, a client under it, deleted', async () => {
    const { page, context, problems } = await openPortal(browser(), service());
    await page.getByRole('link', { name: 'Identity providers', exact: true }).click();
    await page.getByRole('link', { name: 'Register provider' }).first().click();
    await page.getByLabel('Discovery URL').fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('a host on the public internet').first().waitFor();
    await page.getByLabel('Discovery URL').fill(provider.discoveryUrl);
    await page.getByRole('button', { name: 'Look it up' }).click();
    const found = page.locator('section', { hasText: 'JWKS URI' });
    expect(await found.textContent()).toContain(`${provider.issuer}/keys`);
    expect(await page.locator('table').textContent()).toContain(provider.key.kid);
    await page.getByRole('button', { name: 'Register provider' }).click();
    await page.getByText('The provider is registered.').waitFor();
    const signNow = () => {
      const now = Math.floor(Date.now() / 1000);
      return signToken(provider.key, {
        iss: provider.issuer,
        sub: 'erp',
        client_id: 'erp',
        aud: 'https://api.example.com',
        iat: now,
        exp: now + 300,
      });
    };
    expect(await useExample(signNow())).toBe(401);
    await page.getByRole('link', { name: 'New client' }).click();
    await chooseTrunkGroup(page);
    await page.getByLabel('Name').fill('ERP');
    await page.getByLabel('messaging view').check();
    await page.getByLabel(/Client id at the provider/).fill('erp');
    await page.getByRole('button', { name: 'Create client' }).click();
    await page.getByText('has no secrets here').waitFor();
    expect(await useExample(signNow())).toBe(200);

    await page.getByRole('link', { name: provider.issuer }).click();
    await page.getByRole('link', { name: 'Delete…' }).click();
    await page.getByText('The clients under it are deleted with it: 1.').waitFor();
    await page.getByRole('button', { name: /Delete provider and its clients/ }).click();
    await page.getByText('The provider was deleted.').waitFor();
    expect(await useExample(signNow())).toBe(401);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a provider with many clients', () => {
  it('is deleted in steps, with script and without', async () => {
    const library = createLibrary();
    for (const javaScriptEnabled of [true, false]) {
      await library.registerProvider(provider.discoveryUrl);
      for (let index = 0; index < 45; index += 1) {
        await library.createClient({
          name: `ERP ${index}`,
          serviceTrunkGroup: 'tg-1001',
          scopes: ['messaging:view'],
          provider: provider.issuer,
          externalClientId: `erp-${index}`,
        });
      }
      const options = { javaScriptEnabled };
      const { page, origin, context, problems } = await openPortal(browser(), service(), options);
      const query = new URLSearchParams({ issuer: provider.issuer });
      await page.goto(`${origin}/identity-providers/delete?${query.toString()}`);
      await page.getByRole('button', { name: 'Delete provider and its clients (45)' }).click();
      if (!javaScriptEnabled) {
        await page.getByText('Deleted 20 clients so far.').waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('Deleted 40 clients so far.').waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByText('The provider was deleted.').waitFor();
      expect(await library.listProviders()).toEqual([]);
      expect((await library.listClients({ provider: provider.issuer })).items).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    }
  });
});

describe('a secret that was shown', () => {
  it('is not shown again after Back, Forward, reload or a second sending', async () => {
    const { page, context } = await openPortal(browser(), service());
    const clientId = await createClient(page, 'Once');
    const value = await createSecret(page, 'once');
    const secrets = async () =>
      (await page
        .locator('body')
        .textContent({ timeout: 5000 })
        .catch(() => '')) ?? '';
    // Chromium shows an error instead of a page that it must not store, and `goBack` never ends.
    const travel = async (direction: 'goBack' | 'goForward') => {
      const navigated = page.waitForEvent('framenavigated');
      page[direction]({ waitUntil: 'commit' }).catch(() => undefined);
      await navigated;
      await page.waitForFunction("document.readyState === 'complete'");
    };
    await page.reload();
    expect(await secrets()).toContain('its value was sent to your browser before');
    await page.getByRole('link', { name: 'Back to the client' }).click();
    await travel('goBack');
    expect(await secrets()).not.toContain(value);
    await travel('goBack');
    expect(await secrets()).not.toContain(value);
    await travel('goForward');
    expect(await secrets()).not.toContain(value);
    const management = createLibrary();
    expect((await management.findClient(clientId)).secrets).toHaveLength(1);
    await context.close();
  });
});

function createLibrary() {
  const { aws, paths } = service();
  const input: unknown = JSON.parse(readFileSync(paths.deploymentConfig, 'utf8'));
  const config = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  const context = createManagementContext({
    config,
    aws,
    actor: async () => 'test',
    allowLoopbackProviders: true,
  });
  return bindManagement(context);
}

/** Links and buttons of tables that are out of view unless the table is scrolled sideways. */
function countHidden(page: Page): Promise<number> {
  return page.evaluate<number>(`[...document.querySelectorAll('.table')].flatMap((table) => {
    const { right } = table.getBoundingClientRect();
    const targets = [...table.querySelectorAll('a, button')];
    return targets.filter((target) => target.getBoundingClientRect().right > right + 1);
  }).length`);
}

describe('the portal as a page', () => {
  it('is accessible: axe-core finds nothing on any page, light and dark, narrow and wide', async () => {
    const library = createLibrary();
    const { client } = await library.createClient({
      name: 'A name of a client that is long enough to need a second line on a telephone',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['messaging:view', 'calls:view'],
    });
    const { secret } = await library.createClientSecret(client.clientId, { name: 'blue' });
    const { key } = await library.createApiKey({
      name: 'Ada',
      serviceTrunkGroup: 'tg-1001',
      subnets: [{ name: 'office', address: '203.0.113.0/24' }],
    });
    await library.setTrunkGroupLimits('tg-1001', {
      scopes: ['messaging:view'],
      maxClients: 0,
      maxTokenLifetime: 900,
      providers: [],
      ifVersion: 0,
    });
    const of = `/clients/${client.clientId}`;
    const ofKey = `/api-keys/${key.keyId}`;
    const paths = [
      '/',
      '/clients',
      '/clients?text=nothing',
      '/clients?trunkGroup=%21',
      `/clients?trunkGroup=${'W'.repeat(100)}`,
      '/clients/new',
      '/clients/new?trunkGroup=a+b',
      '/clients/new?trunkGroup=tg-1001',
      of,
      `${of}/edit`,
      `${of}/delete`,
      `${of}/secrets/new`,
      `${of}/secrets/rotate`,
      `${of}/secrets/${secret.secretId}/edit`,
      `${of}/secrets/${secret.secretId}/delete`,
      '/api-keys',
      '/api-keys/new?trunkGroup=tg-1001',
      ofKey,
      `${ofKey}/edit`,
      `${ofKey}/delete`,
      `${ofKey}/subnets/${key.subnets[0]?.subnetId}/remove`,
      '/identity-providers',
      '/identity-providers/new',
      `/identity-providers/new?discoveryUrl=${encodeURIComponent(provider.discoveryUrl)}`,
      '/trunk-groups',
      '/trunk-groups?trunkGroup=a+b',
      '/trunk-groups/tg-1001',
      '/trunk-groups/tg-1001/edit',
      '/explain',
      `/explain?clientId=${client.clientId}`,
      '/audit',
      '/nothing',
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 1600]) {
        const opened = await openPortal(browser(), service(), {
          colorScheme,
          viewport: { width, height: 900 },
        });
        const { page, origin, context } = opened;
        for (const path of paths) {
          await page.goto(origin + path);
          // The narrowest window that has the navigation next to a table.
          await page.setViewportSize({ width: 980, height: 900 });
          expect([path, await countHidden(page)]).toEqual([path, 0]);
          await page.setViewportSize({ width, height: 900 });
          await expectAccessible(page);
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          expect([path, width, overflow]).toEqual([path, width, 0]);
          expect([path, width, await countHidden(page)]).toEqual([path, width, 0]);
        }
        await context.close();
      }
    }
  });

  it('can be used with only the keyboard', async () => {
    const { page, context } = await openPortal(browser(), service());
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    const press = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        const text = await page.evaluate<string>(
          'document.activeElement.textContent.trim() || document.activeElement.name',
        );
        if (text === name) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    await press('Clients');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/clients');
    await press('New client');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/clients/new');
    await press('trunkGroup');
    await page.keyboard.type('tg-1001');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/clients/new?trunkGroup=tg-1001');
    await press('name');
    await page.keyboard.type('Keyboard');
    await press('scopes');
    await page.keyboard.press('Space');
    await press('Create client');
    await page.keyboard.press('Enter');
    await page.getByText('The client was created').waitFor();
    await context.close();
  });

  it('gives its cookie to no other port of this machine', async () => {
    const received: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      received.push(request.headers.cookie);
      // A page of another site led here, and this server leads to a path of its choice.
      const to =
        request.url === '/' ? { status: 302, headers: { location: '/clients' } } : undefined;
      response.writeHead(to?.status ?? 200, to?.headers).end();
    });
    const port = await listenOnLoopback(other);
    const { page, context } = await openPortal(browser(), service());
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect(received.filter((cookie) => cookie !== undefined)).toEqual([]);
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['portal']);
    await context.close();
    other.close();
  });
});

describe('what was shown once', () => {
  it('is in no log, no audit record, no file of the run, and not in the browser’s profile', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'portal-profile-'));
    const { chromium } = await import('playwright-core');
    const { findChromium } = await import('../../lab/support/find-chromium.ts');
    const found = findChromium();
    if ('missing' in found) throw new Error(found.missing);
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: found.path,
      args: ['--no-sandbox'],
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    const page = await context.newPage();
    await page.goto(service().portalUrl ?? '');
    await createClient(page, 'Profile');
    await createSecret(page, 'profile');
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByText('profile').first().waitFor();
    await context.close();
    const filesOf = (folder: string): readonly string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
    const files = [...filesOf(profile), ...filesOf(service().paths.directory)];
    expect(credentials.length).toBeGreaterThan(4);
    const leaks = files.flatMap((path) => {
      const content = readFileSync(path);
      return credentials.some((value) => content.includes(value)) ? [path] : [];
    });
    expect(leaks).toEqual([]);
    const { items } = await createLibrary().listAudit();
    figure('the browser after values were shown', {
      values: credentials.length,
      files: files.length,
      'audit records': items.length,
      found: leaks.length,
    });
    expect(items.length).toBeGreaterThan(10);
    expect(credentials.filter((value) => JSON.stringify(items).includes(value))).toEqual([]);
    rmSync(profile, { recursive: true, force: true });
  });
});
