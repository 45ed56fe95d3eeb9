import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type SampleData, trunkGroup } from './sample-data.ts';

/** A picture of the documentation. */
interface Picture {
  /** Of the file in docs/images. */
  readonly name: string;
  readonly path: (data: SampleData) => string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

const explainPage = ({ clientId }: SampleData) =>
  `/explain?clientId=${clientId}&scope=calls%3Amanage`;
const groupPage = `/trunk-groups/${trunkGroup}`;
const clientPage = ({ clientId }: SampleData) => `/clients/${clientId}`;

export const pictures: readonly Picture[] = [
  { name: 'portal-overview', path: () => '/', scheme: 'light', width: 1000, height: 500 },
  { name: 'portal-client', path: clientPage, scheme: 'light', width: 1000, height: 560 },
  { name: 'portal-explain', path: explainPage, scheme: 'dark', width: 1000, height: 400 },
  { name: 'portal-limits', path: () => groupPage, scheme: 'light', width: 1000, height: 610 },
  { name: 'portal-narrow', path: () => '/clients', scheme: 'light', width: 390, height: 640 },
];

/** A page as a person sees it. */
interface ShownPage {
  readonly name: string;
  readonly path: (data: SampleData) => string;
  /** What the person does there first. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Sends a form past the browser's own checks, so that the portal says what is wrong. */
async function send(page: Page, name: string | RegExp): Promise<void> {
  await page.evaluate('for (const form of document.forms) form.noValidate = true');
  await page.getByRole('button', { name }).click();
  await page.waitForLoadState();
}

export const everyPage: readonly ShownPage[] = [
  { name: 'overview', path: () => '/' },
  { name: 'clients', path: () => '/clients' },
  { name: 'clients-none', path: () => '/clients?text=nothing' },
  { name: 'client', path: clientPage },
  { name: 'client-new', path: () => '/clients/new' },
  {
    name: 'client-new-wrong',
    path: () => `/clients/new?trunkGroup=${trunkGroup}`,
    act: async (page) => {
      await page.getByLabel('Token lifetime').fill('a while');
      await send(page, 'Create client');
    },
  },
  { name: 'client-delete', path: (data) => `${clientPage(data)}/delete` },
  { name: 'secret-new', path: (data) => `${clientPage(data)}/secrets/new` },
  {
    name: 'secret-created',
    path: (data) => `${clientPage(data)}/secrets/new`,
    act: (page) => send(page, 'Create secret'),
  },
  { name: 'secret-rotate', path: (data) => `${clientPage(data)}/secrets/rotate` },
  {
    name: 'public-key-private',
    path: (data) => `${clientPage(data)}/keys/new`,
    act: async (page) => {
      await page.getByLabel('Public key').fill('-----BEGIN PRIVATE KEY-----');
      await send(page, 'Add public key');
    },
  },
  {
    name: 'public-key-added',
    path: (data) => `${clientPage(data)}/keys/new`,
    act: async (page) => {
      const { publicKey } = generateKeyPairSync('ed25519');
      const pem = publicKey.export({ format: 'pem', type: 'spki' });
      await page.getByLabel('Public key').fill(String(pem));
      await send(page, 'Add public key');
    },
  },
  { name: 'public-key-rotate', path: (data) => `${clientPage(data)}/keys/rotate` },
  { name: 'secret-edit', path: (data) => `${clientPage(data)}/secrets/${data.secretId}/edit` },
  { name: 'keys', path: () => '/api-keys' },
  { name: 'key', path: ({ keyId }) => `/api-keys/${keyId}` },
  {
    name: 'key-new-wrong',
    path: () => `/api-keys/new?trunkGroup=${trunkGroup}`,
    act: async (page) => {
      await page.getByLabel('IP address').first().fill('203.0.113.300');
      await send(page, 'Create API key');
    },
  },
  { name: 'providers', path: () => '/identity-providers' },
  {
    name: 'provider',
    path: ({ issuer }) => `/identity-providers/show?issuer=${encodeURIComponent(issuer)}`,
  },
  {
    name: 'provider-new',
    path: ({ issuer }) =>
      `/identity-providers/new?discoveryUrl=${encodeURIComponent(`${issuer}/.well-known/openid-configuration`)}`,
  },
  {
    name: 'provider-delete',
    path: ({ issuer }) => `/identity-providers/delete?issuer=${encodeURIComponent(issuer)}`,
  },
  { name: 'trunk-groups', path: () => '/trunk-groups' },
  { name: 'trunk-group', path: () => groupPage },
  { name: 'trunk-group-edit', path: () => `${groupPage}/edit` },
  {
    name: 'trunk-group-preview',
    path: () => `${groupPage}/edit`,
    act: async (page) => {
      await page.getByLabel('Clients', { exact: true }).fill('1');
      await send(page, 'Show what would be above them');
    },
  },
  { name: 'expiring', path: () => '/expiring' },
  { name: 'history', path: (data) => `${clientPage(data)}/history` },
  { name: 'signing-keys', path: () => '/signing-keys' },
  { name: 'explain', path: explainPage },
  { name: 'audit', path: () => '/audit' },
  { name: 'not-found', path: () => '/nothing' },
];
