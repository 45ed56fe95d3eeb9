import { bindManagement, type Management } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { readRunConfig } from '../../local/state.ts';

const day = 86_400;

/** Clients of a telephony platform: name, trunk group, scopes, days until the secret expires. */
const clients = [
  ['Billing', 'tg-1001', ['messaging:view', 'calls:view'], 4],
  ['Billing (staging)', 'tg-1001', ['messaging:view'], 90],
  ['Call recording export to the archive of the legal department', 'tg-1001', ['calls:view'], 11],
  ['Contact center dialer', 'tg-2040', ['calls:view', 'calls:manage'], undefined],
  ['CRM connector', 'tg-2040', ['messaging:view', 'messaging:manage', 'calls:view'], 365],
  ['Fraud detection', 'tg-2040', ['calls:view'], 30],
  ['Number porting', 'tg-3100', ['calls:manage'], 200],
  ['Reporting', 'tg-3100', ['messaging:view', 'calls:view'], 60],
  ['Short message gateway', 'tg-3100', ['messaging:manage'], 180],
  ['Voicemail to text', 'tg-3100', ['messaging:manage', 'calls:view'], undefined],
] as const;

const apiKeys = [
  ['Ada Lovelace', 'tg-1001', [['office', '203.0.113.0/24']]],
  [
    'Grace Hopper',
    'tg-1001',
    [
      ['office', '203.0.113.0/24'],
      ['home', '2001:db8:4::/48'],
    ],
  ],
  ['Legacy phone switch', 'tg-2040', []],
  ['On-call laptop', 'tg-3100', [['VPN', '198.51.100.16/28']]],
] as const;

/** The trunk group that has limits. */
export const trunkGroup = 'tg-1001';

/** What the pictures show, by the names that their addresses need. */
export interface SampleData {
  readonly clientId: string;
}

/** The management of a local run, as if it were called so many days ago. */
function openManagement({ aws, paths }: LocalRun, daysAgo: number): Management {
  const context = createManagementContext({
    config: readRunConfig(paths),
    aws,
    actor: async () => 'ada@example.com',
    allowLoopbackProviders: true,
  });
  return bindManagement({ ...context, clock: () => Date.now() - daysAgo * day * 1000 });
}

/** @returns the id of the first. */
async function addClients(service: LocalRun): Promise<string> {
  const [old, recent] = [openManagement(service, 120), openManagement(service, 3)];
  const now = Math.floor(Date.now() / 1000);
  let first: string | undefined;
  for (const [name, serviceTrunkGroup, scopes, endsIn] of clients) {
    const { client } = await old.createClient({ name, serviceTrunkGroup, scopes: [...scopes] });
    const expiresAt = endsIn === undefined ? undefined : now + endsIn * day;
    await (endsIn === undefined ? old : recent).createClientSecret(client.clientId, {
      name: 'blue',
      expiresAt,
    });
    first ??= client.clientId;
  }
  const clientId = first ?? '';
  // A rotation that no caller has followed yet.
  const next = { name: 'green', expiresAt: now + 200 * day };
  await openManagement(service, 1).createClientSecret(clientId, next);
  const { items } = await recent.listClients({ text: 'number porting' });
  await recent.setClientEnabled(items[0]?.clientId ?? '', false);
  return clientId;
}

async function addApiKeys(service: LocalRun): Promise<void> {
  const management = openManagement(service, 40);
  for (const [name, serviceTrunkGroup, subnets] of apiKeys) {
    await management.createApiKey({
      name,
      serviceTrunkGroup,
      subnets: subnets.map(([label, address]) => ({ name: label, address })),
    });
  }
}

/** Fills a local run with what a small company would have. */
export async function addSampleData(service: LocalRun, discoveryUrl: string): Promise<SampleData> {
  const clientId = await addClients(service);
  await addApiKeys(service);
  const management = openManagement(service, 0);
  const { provider } = await management.registerProvider(discoveryUrl);
  await management.createClient({
    name: 'ERP',
    serviceTrunkGroup: 'tg-2040',
    scopes: ['messaging:view'],
    provider: provider.issuer,
    externalClientId: 'erp',
  });
  await management.setTrunkGroupLimits(trunkGroup, {
    scopes: ['messaging:view', 'calls:view'],
    maxClients: 10,
    maxApiKeys: 1,
    requireSubnet: true,
    maxTokenLifetime: 3600,
    maxSecretLifetime: 90 * day,
    providers: [],
    ifVersion: 0,
  });
  return { clientId };
}
