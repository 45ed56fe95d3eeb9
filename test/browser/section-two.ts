import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LocalRun } from '../../lab/local/start-local.ts';
import type { LoopbackProvider } from '../../lab/support/loopback-provider.ts';
import { signToken } from '../../lab/support/test-issuer.ts';
import { basic } from '../../lab/support/token-request.ts';
import type { Hands } from './hands.ts';

/*
 * Section 2 of the specification, as a customer does it. Each part says which row of the
 * specification it is, and proves what it did at the token endpoint or at an API.
 */

/** A person who is signed in. */
interface Signed {
  readonly hands: Hands;
  /** The portal's address, with a slash at its end. */
  readonly home: string;
  readonly service: LocalRun;
}

const readOnce = async (page: Page) => (await page.locator('[data-secret]').textContent()) ?? '';

const idIn = (page: Page, kind: string) =>
  new RegExp(`${kind}_[0-9A-Za-z]{22}`).exec(page.url())?.[0] ?? '';

async function requestToken({ service }: Signed, clientId: string, secret: string) {
  const response = await fetch(service.tokenUrl, {
    method: 'POST',
    headers: { authorization: basic(clientId, secret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const body = (await response.json()) as { access_token?: string; expires_in?: number };
  return { status: response.status, ...body };
}

async function useExample({ service }: Signed, credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}` };
  return (await fetch(service.exampleUrl, { headers })).status;
}

/** Client: what is chosen at creation, and what its detail page shows. */
async function createClient(signed: Signed, trunkGroup: string): Promise<string> {
  const { hands } = signed;
  const { page, press, type, check } = hands;
  await press('Clients');
  await press('New client');
  await type('Name', 'Dialer');
  await type('Token lifetime', '15 m');
  await check(/messaging view/);
  await press('Create client');
  await page.getByText('The client was created').waitFor();
  const clientId = idIn(page, 'client');
  const facts = await page.locator('.facts').first().textContent();
  const { issuer, environment } = signed.service;
  for (const shown of [
    clientId,
    trunkGroup,
    'messaging:view',
    '15 minutes',
    environment.AUDIENCE,
    issuer,
  ]) {
    expect(facts).toContain(shown);
  }
  return clientId;
}

/** Client secret: name, expiration date, shown once, rotated, disabled. */
async function manageSecrets(signed: Signed, clientId: string): Promise<void> {
  const { hands } = signed;
  const { page, press, type, check } = hands;
  const status = async (secret: string) => (await requestToken(signed, clientId, secret)).status;
  await press('New secret');
  await type('Name (optional)', 'blue');
  await check('On a day');
  await type('Day on which it expires', '2040-03-31');
  await press('Create secret');
  const blue = await readOnce(page);
  expect(await requestToken(signed, clientId, blue)).toMatchObject({
    status: 200,
    expires_in: 900,
  });
  await press('I have copied it');
  expect(await page.content()).not.toContain(blue);
  expect(await page.locator('tbody time[datetime="2040-03-31T23:59:59Z"]').count()).toBe(1);

  await press('Disable blue');
  await page.getByText('Disabled. The others').waitFor();
  expect(await status(blue)).toBe(401);
  await press('Enable blue');
  await page.getByText('Enabled. It works again').waitFor();
  expect(await status(blue)).toBe(200);

  await press('Rotate');
  await check(/^Now: callers/);
  await press('Create the new secret');
  const fresh = await readOnce(page);
  expect([await status(blue), await status(fresh)]).toEqual([401, 200]);
  await press('I have copied it');

  await press('Disable client');
  await page.getByText('The client is disabled').waitFor();
  expect(await status(fresh)).toBe(401);
  await press('Enable client');
  await page.getByText('The client is enabled').waitFor();
  expect(await status(fresh)).toBe(200);
}

async function deleteClient(signed: Signed, clientId: string): Promise<void> {
  const { page, press } = signed.hands;
  await press('History');
  for (const words of ['Created a client', 'Rotated secrets', 'Disabled a client']) {
    await page.getByText(words).first().waitFor();
  }
  expect(await page.locator('.entry-actor').first().textContent()).toMatch(/^\S.* https:.*#/);
  await press('Dialer');
  await press('Delete client…');
  await press('Delete client');
  await page.getByText('The client was deleted').waitFor();
  expect((await page.goto(`${signed.home}clients/${clientId}`))?.status()).toBe(404);
}

/** API key and ACL subnet entry: name, enabled, subnets, renamed, disabled, deleted. */
async function manageApiKey(signed: Signed): Promise<void> {
  const { page, press, type } = signed.hands;
  await press('API keys');
  await press('New API key');
  await type('Name', 'Ada’s key');
  await press('Create API key');
  const key = await readOnce(page);
  expect(await useExample(signed, key)).toBe(200);
  await press('I have copied it');

  await type('Name', 'office');
  await type('IP address', '203.0.113.0');
  await type('Netmask', '255.255.255.0');
  await press('Add subnet');
  await page.getByText('The subnet was added.').waitFor();
  expect(await useExample(signed, key)).toBe(401);
  await type('Name', 'this machine');
  await type('IP address', '127.0.0.0');
  await type('Netmask', '8');
  await press('Add subnet');
  await page.getByText('127.0.0.0').first().waitFor();
  expect(await useExample(signed, key)).toBe(200);

  await press('Edit');
  await type('Name', 'Ada Lovelace');
  await press('Save');
  await page.getByText('Saved.').waitFor();
  expect(await page.locator('h1').textContent()).toBe('Ada Lovelace');
  await press('Disable API key');
  await page.getByText('The API key is disabled.').waitFor();
  expect(await useExample(signed, key)).toBe(401);
  await press('Enable API key');
  await page.getByText('The API key is enabled').waitFor();
  expect(await useExample(signed, key)).toBe(200);
  await press('Delete API key…');
  await press('Delete API key');
  await page.getByText('The API key was deleted.').waitFor();
  expect(await useExample(signed, key)).toBe(401);
}

/** Everything that a customer's manager may do. */
export async function doSectionTwo(signed: Signed, trunkGroup: string): Promise<void> {
  const clientId = await createClient(signed, trunkGroup);
  await manageSecrets(signed, clientId);
  await deleteClient(signed, clientId);
  await signed.hands.page.goto(signed.home);
  await manageApiKey(signed);
}

/** Registered identity provider: looked up, registered. The platform's staff does it. */
export async function registerProvider(
  { hands }: Signed,
  { discoveryUrl, issuer }: LoopbackProvider,
): Promise<void> {
  const { page, press, type } = hands;
  await press('Identity providers');
  await press('Register provider');
  await type('Discovery URL', discoveryUrl);
  await press('Look it up');
  expect(await page.locator('.problem').allTextContents()).toEqual([]);
  const found = page.locator('section', { hasText: 'JWKS URI' });
  expect(await found.textContent()).toContain(`${issuer}/keys`);
  await press('Register provider');
  await page.getByText('The provider is registered.').waitFor();
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
}

/** A customer's client under the provider: the provider's token is accepted. */
export async function createClientUnderProvider(
  signed: Signed,
  { issuer, key }: LoopbackProvider,
  externalClientId: string,
): Promise<void> {
  const { page, press, type, check, choose } = signed.hands;
  const aud = signed.service.environment.AUDIENCE;
  const claims = { iss: issuer, sub: externalClientId, client_id: externalClientId, aud };
  const signNow = () => {
    const now = Math.floor(Date.now() / 1000);
    return signToken(key, { ...claims, iat: now, exp: now + 300 });
  };
  expect(await useExample(signed, signNow())).toBe(401);
  await press('Clients');
  await press('New client');
  await type('Name', 'ERP');
  await check(/messaging view/);
  await choose('Provider', issuer);
  await press('Show its fields');
  await type(/^Client id at the provider/, externalClientId);
  await press('Create client');
  await page.getByText('has no secrets here').waitFor();
  // A token from before the creation stays refused.
  expect(await useExample(signed, signNow())).toBe(200);
}

export async function deleteProvider(
  { hands }: Signed,
  issuer: string,
  isScripted: boolean,
): Promise<void> {
  const { page, press } = hands;
  await press('Identity providers');
  await press(issuer);
  await press('Delete…');
  await press(/^Delete provider/);
  // Each step reads a page of clients. The script takes the steps by itself.
  const done = page.getByText('The provider was deleted.');
  const step = page.getByRole('button', { name: 'Continue' });
  for (let steps = 0; steps < 30; steps++) {
    await done.or(step).first().waitFor();
    if (await done.isVisible()) return;
    if (isScripted) await done.waitFor();
    else await press('Continue');
  }
  throw new Error('the provider is not deleted after 30 steps');
}
