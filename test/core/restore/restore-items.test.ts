import { describe, expect, it } from 'vitest';
import { ConflictError, MalformedRecordError } from '../../../core/errors.ts';
import type {
  GivenKeys,
  IdentityProvider,
} from '../../../core/identity-provider/identity-provider.ts';
import {
  type RestoredRow,
  restorableClients,
  restoreItems,
} from '../../../core/restore/restore-items.ts';
import { restoreProviders } from '../../../core/restore/restore-providers.ts';
import { createTestManagement } from '../../support/management.ts';
import { createMemoryShelf } from '../../support/memory-shelf.ts';
import { createClient, deleteClient, setClientEnabled } from '../../support/operations.ts';
import { storedKind } from '../../support/stored-kind.ts';

const input = { name: 'A', serviceTrunkGroup: 'tg', scopes: ['calls:view'] };

/** A client that is lost from the live table, and in the restored one. */
async function lostClient() {
  const test = createTestManagement();
  const { client } = await createClient(test.context, input);
  const stored = structuredClone(client);
  test.clients.clear();
  const { context } = test;
  const clients = storedKind(
    () => [stored],
    test.clients,
    ({ clientId }) => clientId,
  );
  const restorable = restorableClients(context, { clients });
  const options = {
    async *readAudit() {
      yield* structuredClone(test.audit);
    },
    shelf: createMemoryShelf(),
    undelete: new Set<string>(),
    since: test.now,
    dryRun: false,
  };
  return { ...test, stored, restorable, options };
}

describe('restoring items', () => {
  it('tells of a change that was made while it ran, and may have come too late for it', async () => {
    const { context, audit, stored, restorable, options } = await lostClient();
    let asked = 0;
    async function* readAudit() {
      asked += 1;
      // After the items, as someone in another region would.
      if (asked === 2) await setClientEnabled(context, stored.clientId, false);
      yield* structuredClone(audit);
    }
    const rows = await restoreItems(context, restorable, { ...options, readAudit });
    expect(rows).toEqual([
      {
        id: stored.clientId,
        name: 'A',
        outcome: 'restored',
        because: [],
        lookAt: [expect.stringMatching(/^client\.disable at .*, while this ran: see whether/)],
      },
    ]);
  });

  it('reports what it will do before it writes, and again it changes nothing', async () => {
    const { context, clients, stored, restorable, options } = await lostClient();
    const reported: unknown[] = [];
    const report = async (rows: readonly RestoredRow[]) => {
      reported.push([clients.size, rows.map(({ outcome }) => outcome)]);
    };
    await restoreItems(context, restorable, { ...options, report });
    const version = clients.get(stored.clientId)?.version;
    await restoreItems(context, restorable, { ...options, shelf: createMemoryShelf(), report });
    expect(reported).toEqual([
      [0, ['restored']],
      [1, ['present']],
    ]);
    expect(clients.get(stored.clientId)?.version).toBe(version);
  });

  it('writes nothing if the operator does not confirm the report', async () => {
    const { context, clients, restorable, options } = await lostClient();
    const report = () => Promise.reject(new Error('not confirmed'));
    const restored = restoreItems(context, restorable, { ...options, report });
    await expect(restored).rejects.toThrow('not confirmed');
    expect(clients.size).toBe(0);
  });

  it('leaves an item alone if another writer creates it at the same moment', async () => {
    const { context, restorable, options } = await lostClient();
    const create = () => Promise.reject(new ConflictError('exists'));
    const rows = await restoreItems(context, { ...restorable, create }, options);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['present']);
  });

  it('goes on past a live item that cannot be read, and says so', async () => {
    const { context, clients, restorable, options } = await lostClient();
    const { client } = await createClient(context, input);
    const find = () => Promise.reject(new MalformedRecordError('cannot be read'));
    const rows = await restoreItems(context, { ...restorable, find }, options);
    expect(rows).toMatchObject([{ outcome: 'present', lookAt: ['cannot be read'] }]);
    expect([...clients.keys()]).toEqual([client.clientId]);
  });

  it('counts as lost what was made since, and not what was deleted again or is there', async () => {
    const { context, clients, restorable, options } = await lostClient();
    const { client: gone } = await createClient(context, input);
    const { client: deleted } = await createClient(context, input);
    await deleteClient(context, deleted.clientId);
    const { client: there } = await createClient(context, input);
    clients.delete(gone.clientId);
    const rows = await restoreItems(context, restorable, { ...options, dryRun: true });
    expect(rows.map(({ outcome }) => outcome)).toEqual(['restored', 'lost']);
    expect(rows[1]?.id).toBe(gone.clientId);
    expect([...clients.keys()]).toEqual([there.clientId]);
  });

  it('can be undone, and the item is then dropped by the next one', async () => {
    const { context, clients, stored, restorable, options } = await lostClient();
    await restoreItems(context, restorable, options);
    const restored = clients.get(stored.clientId);
    if (restored === undefined) throw new Error('not restored');
    await deleteClient(context, restored.clientId);
    const rows = await restoreItems(context, restorable, options);
    expect(rows).toMatchObject([{ outcome: 'dropped' }]);
    expect(clients.size).toBe(0);
  });
});

it('restores a provider as of whom it is now, and its keys unless they were replaced since', async () => {
  const { context, providers, options, now } = await lostClient();
  const issuer = 'https://ci.example';
  const owner = { registrationId: 'r1', issuer, version: 1, updatedAt: now, trunkGroups: ['tg-2'] };
  await context.providerOwners.put(owner);
  const registered: IdentityProvider = {
    issuer,
    registrationId: 'r1',
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    jwksUri: `${issuer}#keys`,
    allowedAlgorithms: ['RS256'],
    owned: true,
    ownedBy: 'tg-1',
    registeredAt: 1,
  };
  const keys = new Map<string, GivenKeys>();
  const stored = { issuer, registrationId: 'r1', jwks: '{}', version: 3, updatedAt: 1 };
  const tables = {
    identityProviders: storedKind(
      () => [registered],
      providers,
      (one) => one.issuer,
    ),
    givenKeys: storedKind(
      () => [stored],
      keys,
      (one) => one.issuer,
    ),
  };
  const replaced = (version: number) => ({
    recordId: `c${version}-2-done`,
    time: '2027-01-15T08:00:00.000Z',
    actor: 'a',
    action: 'identity_provider.replace_keys',
    subject: issuer,
    after: { registration_id: 'r1', keys_version: version },
    outcome: 'done' as const,
  });
  const restore = (version: number) =>
    restoreProviders(context, tables, {
      ...options,
      shelf: createMemoryShelf(),
      async *readAudit() {
        yield replaced(version);
      },
    });
  expect((await restore(4)).map(({ outcome }) => outcome)).toEqual(['restored', 'dropped']);
  expect(providers.get(issuer)).toEqual({ ...registered, ownedBy: 'tg-2' });
  expect((await restore(3)).map(({ outcome }) => outcome)).toEqual(['present', 'restored']);
  expect(keys.get(issuer)).toEqual(stored);
});
