// Uses every entry of the installed package of authctl, as a company's own tools would.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  type DeploymentConfig,
  parseDeploymentConfig,
} from '@authorization-server-aws/authctl/deployment-config';
import {
  type Client,
  createManagement,
  InputError,
  type Management,
} from '@authorization-server-aws/authctl/management';
import { createPortal, type Person, type Portal } from '@authorization-server-aws/authctl/portal';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const config: DeploymentConfig = parseDeploymentConfig(
  JSON.parse(readFileSync(required('AUTHCTL_CONFIG'), 'utf8')),
  { allowLoopbackIssuer: true },
);

async function manage(): Promise<Client> {
  const management: Management = createManagement({ config });
  const { client } = await management.createClient({
    name: 'Packed',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  const { value } = await management.createClientSecret(client.clientId, {});
  assert.ok(typeof value === 'string');
  const names = (await management.listClients()).items.map(({ name }) => name);
  assert.ok(names.includes('Packed'));
  await assert.rejects(management.findClient('no id'), InputError);
  return client;
}

/** A company mounts the portal behind its own login. */
async function mountPortal(): Promise<void> {
  const origin = 'https://portal.example.com';
  const people: Readonly<Record<string, Person>> = {
    ada: { name: 'Ada', role: 'viewer', trunkGroups: ['tg-1001'] },
  };
  const portal: Portal = createPortal({
    management: createManagement({ config }),
    origins: [origin],
    identify: async (request) => people[request.headers.get('x-user') ?? ''],
  });
  const get = (url: string, user: string) =>
    portal.fetch(new Request(url, { headers: { 'x-user': user } }));
  assert.match(await (await get(`${origin}/clients`, 'ada')).text(), /Packed/);
  assert.equal((await get(`${origin}/clients/new`, 'ada')).status, 403);
  assert.equal((await get(`${origin}/clients`, 'eve')).status, 401);
  assert.equal((await get('https://evil.example/clients', 'ada')).status, 421);
}

const { name } = await manage();
assert.equal(name, 'Packed');
await mountPortal();
console.log('the libraries of authctl work');
