import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createManagementContext } from '../../adapters/management-tables.ts';
import { FetchError } from '../../core/identity-provider/fetch-json.ts';
import { createAwsCaller } from '../../lab/emulator/aws-server/aws-caller.ts';
import { startDynamoDb } from '../../lab/emulator/dynamodb.ts';
import { createTables } from '../../lab/support/create-tables.ts';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { createPortal } from '../../portal/create-portal.ts';
import { testAwsOptions } from '../integration/adapters/dynalite.ts';
import { hangUp, startScriptedService } from '../integration/aws-json/scripted-service.ts';
import { figure } from '../support/figure.ts';
import { testConfig } from '../support/management.ts';
import { createTestFunction } from '../support/management-function.ts';
import { testAccessKey } from '../support/test-access-key.ts';

/*
 * What a call of one customer costs, in DynamoDB's units, while another customer has 150 clients, 150
 * API keys and 20 providers: by the function and by the portal.
 */

const issuer = 'https://ci.example.net';
const wicked = (index: number) => `https://wicked-${index}.example.net`;

const clientsOfOther = 150;
const providersOfOther = 20;

interface Cost {
  reads: number;
  writes: number;
  calls: number;
}

/** What the calls that pass the proxy take. */
const taken: Cost = { reads: 0, writes: 0, calls: 0 };

async function startCountingProxy(endpoint: string) {
  const caller = createAwsCaller({ service: 'dynamodb', endpoint, accessKey: testAccessKey });
  const proxy = await startScriptedService(async ({ headers, body }) => {
    const target = String(headers['x-amz-target']);
    const asked = { ...(JSON.parse(body) as object), ReturnConsumedCapacity: 'TOTAL' };
    const isData = !/Table/.test(target);
    const sent = Buffer.from(isData ? JSON.stringify(asked) : body);
    const passed = await caller
      .call({ region: 'us-west-2', target, body: sent })
      .catch(() => undefined);
    if (passed === undefined) return hangUp;
    const { ConsumedCapacity = [] } = JSON.parse(passed.body.toString()) as {
      readonly ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
    };
    const units = [ConsumedCapacity].flat().reduce((sum, one) => sum + one.CapacityUnits, 0);
    taken.calls += 1;
    taken[/\.(Put|Update|Delete)/.test(target) ? 'writes' : 'reads'] += units;
    return (response) => response.writeHead(passed.status, passed.headers).end(passed.body);
  });
  return { url: proxy.url, close: () => proxy.close().finally(() => caller.close()) };
}

let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
let proxy: Awaited<ReturnType<typeof startCountingProxy>>;
beforeAll(async () => {
  dynamodb = await startDynamoDb({ accessKey: testAccessKey });
  proxy = await startCountingProxy(dynamodb.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await dynamodb.close();
});

const key = createTestKey('ES256').jwk;

async function createDeployment(name: string) {
  const aws = testAwsOptions(proxy.url);
  await createTables(createDynamoDbClient(aws), name);
  const context = {
    ...createManagementContext({ config: { ...testConfig, name }, aws, actor: async () => 'test' }),
    fetchJson: async (url: string): Promise<unknown> => {
      const { origin, pathname } = new URL(url);
      if (pathname === '/keys') return { keys: [key] };
      if (pathname !== '/.well-known/openid-configuration') throw new FetchError(url, 'status');
      return { issuer: origin, jwks_uri: `${origin}/keys` };
    },
  };
  const fn = createTestFunction(context);
  const staff = fn.through('administrator');
  const portal = fn.through('portal');
  const personOf = (group: string) => ({
    name: group,
    role: 'manager' as const,
    trunkGroups: [group],
    actor: async () => `https://idp.example.net#${group}`,
  });
  const pages = createPortal({
    management: portal,
    identify: async () => personOf('tg-globex'),
    origins: ['http://127.0.0.1:8084'],
  });
  const options = { clientIdClaim: 'sub', allowClientPatterns: true };
  await staff.registerProvider(`${issuer}/.well-known/openid-configuration`, options);
  await staff.setSubjectGrant(issuer, { value: 'repo:globex/', trunkGroups: ['tg-globex'] });
  await staff.setSubjectGrant(issuer, { value: 'repo:acme/', trunkGroups: ['tg-acme'] });
  for (const group of ['tg-globex', 'tg-acme']) {
    await staff.setTrunkGroupLimits(group, { ownProviders: 100 });
  }
  return {
    staff,
    grace: portal.forCaller(personOf('tg-globex')),
    ada: portal.forCaller(personOf('tg-acme')),
    get: (path: string) => pages.fetch(new Request(`http://127.0.0.1:8084${path}`)),
  };
}

type Deployment = Awaited<ReturnType<typeof createDeployment>>;

/** As many records as a customer may have, with the names that Grace uses. */
async function fill({ ada, staff }: Deployment): Promise<void> {
  for (let index = 0; index < clientsOfOther; index += 1) {
    const named = { name: 'Billing', serviceTrunkGroup: 'tg-acme' };
    const provider = index < 50 ? { provider: issuer, externalClientId: `repo:acme/${index}` } : {};
    await ada.createClient({ ...named, scopes: ['calls:view'], ...provider });
    await ada.createApiKey({ ...named, subnets: [] });
  }
  for (let index = 0; index < providersOfOther; index += 1) {
    await staff.setIssuerGrant(wicked(index), { trunkGroups: ['tg-acme'] });
    const url = `${wicked(index)}/.well-known/openid-configuration`;
    await ada.registerProvider(url, { trunkGroups: ['tg-acme'] });
  }
}

type Step = readonly [name: string, act: () => Promise<unknown>];

/** What Grace does, in this order. */
function stepsOf({ grace, get }: Deployment): readonly Step[] {
  const made = { client: '', secret: '', job: '', key: '', subnet: '' };
  const named = { name: 'Billing', serviceTrunkGroup: 'tg-globex' };
  const version = async () => (await grace.findClient(made.client)).version;
  const open = (path: string) => async () => {
    const response = await get(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return response.text();
  };
  return [
    [
      'createClient',
      async () => {
        const { client } = await grace.createClient({ ...named, scopes: ['calls:view'] });
        made.client = client.clientId;
      },
    ],
    [
      'createClient at a shared provider',
      async () => {
        const at = { provider: issuer, externalClientId: 'repo:globex/app:ref:refs/heads/*' };
        const { client } = await grace.createClient({ ...named, scopes: ['calls:view'], ...at });
        made.job = client.clientId;
      },
    ],
    ['findClient', () => grace.findClient(made.client)],
    [
      'updateClient',
      async () => grace.updateClient(made.client, { name: 'B', ifVersion: await version() }),
    ],
    [
      'createClientSecret',
      async () => {
        made.secret = (await grace.createClientSecret(made.client, {})).secret.secretId;
      },
    ],
    ['disableClientSecret', () => grace.disableClientSecret(made.client, made.secret)],
    ['setClientEnabled', () => grace.setClientEnabled(made.client, false)],
    [
      'createApiKey',
      async () => {
        made.key = (await grace.createApiKey({ ...named, subnets: [] })).key.keyId;
      },
    ],
    ['findApiKey', () => grace.findApiKey(made.key)],
    [
      'addSubnet',
      () => grace.addSubnet(made.key, { name: 'a', address: '203.0.113.0', netmask: 24 }),
    ],
    ['setApiKeyEnabled', () => grace.setApiKeyEnabled(made.key, false)],
    ['findProvider', () => grace.findProvider(issuer)],
    ['findSubjectGrants', () => grace.findSubjectGrants(issuer)],
    ['findTrunkGroupLimits', () => grace.findTrunkGroupLimits('tg-globex')],
    ['explainToken', () => grace.explainToken({ clientId: made.client })],
    ['page of the client', async () => open(`/clients/${made.client}`)()],
    ['page of the API key', async () => open(`/api-keys/${made.key}`)()],
    ['listProviders', () => grace.listProviders()],
    ['listClients', () => grace.listClients({})],
    ['listApiKeys', () => grace.listApiKeys({})],
    ['listHistory', () => grace.listHistory(made.client)],
    ['listAudit', () => grace.listAudit({})],
    ['page of the clients', open('/clients')],
    ['page of the audit', open('/audit')],
    ['deleteApiKey', () => grace.deleteApiKey(made.key)],
    ['deleteClient', () => grace.deleteClient(made.job)],
  ];
}

async function measure(deployment: Deployment) {
  const costs: Record<string, Cost> = {};
  const start = performance.now();
  for (const [name, act] of stepsOf(deployment)) {
    Object.assign(taken, { reads: 0, writes: 0, calls: 0 });
    await act();
    costs[name] = { ...taken };
  }
  return { costs, milliseconds: performance.now() - start };
}

/**
 * All customers share the days of the audit (ADR 0097): a list also reads the changes of the last
 * seconds, a history and a page of the audit those of its days.
 */
const readsTheAudit: ReadonlySet<string> = new Set([
  'listClients',
  'listApiKeys',
  'listHistory',
  'listAudit',
  'page of the audit',
]);

/** Changes of the other customer and of the staff for it: each has two records of at most 1 KB. */
const changes = clientsOfOther * 2 + providersOfOther * 2;
const unitsOfChanges = (changes * 2) / 4;

function mostReads(name: string): number {
  if (readsTheAudit.has(name)) return unitsOfChanges;
  // A list of providers reads the owner of each provider of a trunk group (ADR 0094).
  return name === 'listProviders' ? providersOfOther + 1 : 0;
}

it('costs as many calls and units if another customer has a lot', async () => {
  const quiet = await measure(await createDeployment('quiet'));
  const full = await createDeployment('full');
  await fill(full);
  const disturbed = await measure(full);
  const reads: Record<string, string> = {};
  for (const [name, cost] of Object.entries(disturbed.costs)) {
    const alone = quiet.costs[name];
    if (alone === undefined) throw new Error(`${name} was not measured`);
    const more = mostReads(name);
    expect(cost.writes, name).toBe(alone.writes);
    expect(cost.reads, name).toBeLessThanOrEqual(alone.reads + more);
    if (more === 0) expect(cost, name).toEqual(alone);
    else reads[name] = `${alone.reads} and ${cost.reads}`;
  }
  const [before, after] = [quiet, disturbed].map(({ milliseconds }) => Math.round(milliseconds));
  figure('read units next to a large customer', {
    changes,
    ...reads,
    milliseconds: `${before} and ${after}`,
  });
  expect(disturbed.milliseconds).toBeLessThan(5 * quiet.milliseconds + 1000);
});
