import { expect, it } from 'vitest';
import { operations } from '../../../core/management/operations.ts';
import { formatDay } from '../../../core/rfc3339.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { createProviderClient } from '../../../lab/support/verifier-world.ts';
import { createTestManagement, testConfig } from '../../support/management.ts';

const day = 86_400;
const federatedClients = { maxAge: 3600, ownProviders: false };

function createWorld(config: typeof testConfig = { ...testConfig, federatedClients }) {
  const test = createTestManagement({ config });
  const workload = { ...createProviderClient(), createdAt: test.now - day };
  const basic = makeClient();
  for (const client of [workload, basic]) test.clients.set(client.clientId, client);
  test.uses.set(basic.clientId, formatDay(test.now));
  const read = async () => {
    const found = await operations.findClient(test.context, workload.clientId);
    const { items } = await operations.listClients(test.context);
    const listed = new Map(items.map((client) => [client.clientId, client.lastUsedOn]));
    expect(listed.get(workload.clientId)).toBe(found.lastUsedOn);
    expect(listed.get(basic.clientId)).toBeUndefined();
    return found.lastUsedOn;
  };
  return { test, workload, read };
}

it('a client under a provider shows on which day its assertion was used', async () => {
  const { test, workload, read } = createWorld();
  expect(await read()).toBeUndefined();
  test.uses.set(workload.clientId, formatDay(test.now));
  expect(await read()).toBe(formatDay(test.now));
});

it('a client that was created again does not show the use of the earlier one', async () => {
  const { test, workload, read } = createWorld();
  test.uses.set(workload.clientId, formatDay(test.now - 2 * day));
  expect(await read()).toBeUndefined();
});

it('without federatedClients nothing is read', async () => {
  const { test, workload, read } = createWorld({ ...testConfig });
  test.uses.set(workload.clientId, formatDay(test.now));
  expect(await read()).toBeUndefined();
});
