import { describe, expect, it } from 'vitest';
import { InputError, type Management, type OperationName } from '../../../adapters/management.ts';
import { managementOperations } from '../../../contract/management/operations.ts';
import { restrictToTrunkGroups } from '../../../core/management/caller-reach.ts';
import { runOperation } from './run-operation.ts';
import { prepareCall, validCalls } from './valid-calls.ts';
import { createWorld, ways } from './world.ts';

const names = Object.keys(managementOperations) as OperationName[];

/** Lists are asked without filters, so that only the limit decides. */
async function listedBy(management: Management): Promise<readonly number[]> {
  const { listClients, listApiKeys, listAudit } = management;
  const pages = await Promise.all([
    listClients(),
    listApiKeys(),
    listAudit({ day: '2027-01-15', text: 'cli' }),
  ]);
  return pages.map(({ items }) => items.length);
}

/** What each operation does on a foreign record: test/integration/portal/portal-role.test.ts. */
describe.each(ways)('a caller that is restricted to trunk groups, through %s', (way) => {
  it('lists its own, in the audit too', async () => {
    const { management } = await createWorld('tg-1001', way);
    expect(await listedBy(management)).toEqual([1, 1, 2]);
    expect(await listedBy(management.forCaller({ trunkGroups: ['tg-1001'] }))).toEqual([1, 1, 2]);
    expect(await listedBy(management.forCaller({ trunkGroups: ['tg-2002'] }))).toEqual([0, 0, 0]);
    expect(await listedBy(management.forCaller({ trunkGroups: [] }))).toEqual([0, 0, 0]);
  });

  it('learns about no client and no key of another group from explain', async () => {
    const world = await createWorld('tg-1001', way);
    const { value = '' } = await world.management.createApiKey({
      name: 'Open',
      serviceTrunkGroup: 'tg-1001',
    });
    const limited = world.management.forCaller({ trunkGroups: ['tg-2002'] });
    const explained = await limited.explainToken({ clientId: world.clientId });
    expect(explained).toMatchObject({ granted: false, reason: 'unknown_client' });
    expect(await limited.explainRequest({ credential: value })).toMatchObject({
      accepted: false,
      reason: 'api_key_unknown',
    });
    expect(await world.management.explainRequest({ credential: value })).toMatchObject({
      accepted: true,
    });
  });

  it('can only become more limited', async () => {
    const { management } = await createWorld('tg-1001', way);
    const narrow = management.forCaller({ trunkGroups: ['tg-2002'] });
    const wider = narrow.forCaller({ trunkGroups: ['tg-1001', 'tg-2002'] });
    expect(await listedBy(wider)).toEqual([0, 0, 0]);
    await expect(
      wider.createClient({ name: 'A', serviceTrunkGroup: 'tg-1001', scopes: ['calls:view'] }),
    ).rejects.toThrow('service_trunk_group: received "tg-1001"; allowed: tg-2002');
  });

  it.each([['tg-1001'], [[1]], [['a b']], [Array.from({ length: 101 }, (_, i) => `tg-${i}`)]])(
    'is not limited to %j',
    async (trunkGroups) => {
      const { management } = await createWorld('tg-1001', way);
      expect(() => management.forCaller({ trunkGroups: trunkGroups as never })).toThrow(InputError);
    },
  );
});

describe('the stores of a restricted caller', () => {
  it('write nothing of another group, for any operation', async () => {
    const { context, clients, apiKeys, clientId, keyId } = await createWorld('tg-1001');
    const { clients: limitedClients, apiKeys: limitedKeys } = restrictToTrunkGroups(context, [
      'tg-2',
    ]);
    const client = clients.get(clientId);
    const key = apiKeys.get(keyId);
    if (client === undefined || key === undefined) throw new Error('the world is not complete');
    for (const write of [
      limitedClients.create(client),
      limitedClients.replace(client),
      limitedKeys.create(key),
      limitedKeys.replace(key),
    ]) {
      await expect(write).rejects.toThrow('the service trunk group tg-1001 is out of reach');
    }
  });
});

describe('a caller with a name', () => {
  it('is named in the audit as who it is', async () => {
    const { management, audit } = await createWorld('tg-1001');
    const ada = management.forCaller({ actor: async () => 'ada', trunkGroups: ['tg-1001'] });
    await ada.createApiKey({ name: 'A', serviceTrunkGroup: 'tg-1001' });
    expect(audit.at(-1)).toMatchObject({ actor: 'ada', action: 'api_key.create' });
  });
});

describe.each(ways)('what the library returns, through %s', (way) => {
  it('holds no hash for any operation', async () => {
    for (const name of names) {
      const world = await createWorld('tg-1001', way);
      await prepareCall(world, name, 'tg-1001');
      const result = await runOperation(world.management, name, validCalls(world)[name].args);
      expect(JSON.stringify(result) ?? '').not.toMatch(/"hash"|sha256/);
    }
  });
});
