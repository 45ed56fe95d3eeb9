import { describe, expect, it } from 'vitest';
import { ConflictError, MalformedRecordError } from '../../../core/errors.ts';
import type { IdentityProvider } from '../../../core/identity-provider/identity-provider.ts';
import {
  restorableClients,
  restorableProviders,
  restoreItems,
} from '../../../core/restore/restore-items.ts';
import { createTestManagement } from '../../support/management.ts';
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
    readAudit: async () => structuredClone(test.audit),
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
    const readAudit = async () => {
      asked += 1;
      // After the items, as someone in another region would.
      if (asked === 2) await setClientEnabled(context, stored.clientId, false);
      return structuredClone(audit);
    };
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

  it('leaves an item alone if another writer creates it at the same moment', async () => {
    const { context, restorable, options } = await lostClient();
    const create = () => Promise.reject(new ConflictError('exists'));
    const rows = await restoreItems(context, { ...restorable, create }, options);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['present']);
  });

  it('goes on past a live item that cannot be read, and says so', async () => {
    const { context, clients, restorable, options } = await lostClient();
    const find = () => Promise.reject(new MalformedRecordError('cannot be read'));
    const rows = await restoreItems(context, { ...restorable, find }, options);
    expect(rows).toMatchObject([{ outcome: 'present', lookAt: ['cannot be read'] }]);
    expect(clients.size).toBe(0);
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

describe('restoring what is outside the grants', () => {
  const issuer = 'https://ci.example';
  const registrationId = 'registration';
  const subject = 'repo:globex/app';
  const notGranted = `its id "${subject}" at ${issuer} is not granted to tg, but to`;

  /** @param trunkGroup what the client's id and the issuer are granted to. */
  async function restoreUnder({ trunkGroup = '', owner = '', dryRun = false, fails = false }) {
    const { context, clients, providers, stored, options, now } = await lostClient();
    const { subjectGrants, issuerGrants, providerOwners } = context;
    for (const [kind, place, value] of [
      ['subject', issuer, subject],
      ['issuer', 'ci.example', issuer],
    ] as const) {
      const store = kind === 'subject' ? subjectGrants : issuerGrants;
      const grants = [{ value, trunkGroups: [trunkGroup] }];
      if (trunkGroup !== '') await store.put({ kind, place, grants, version: 1 });
    }
    const record = { registrationId, issuer, version: 1, updatedAt: now };
    if (owner !== '') await providerOwners.put({ ...record, trunkGroups: [owner] });
    const find = () => Promise.reject(new Error('throttled'));
    const used = fails
      ? {
          ...context,
          subjectGrants: { ...subjectGrants, find },
          issuerGrants: { ...issuerGrants, find },
        }
      : context;
    const provider = { issuer, registrationId, externalClientId: subject, conditions: undefined };
    const client = restorableClients(used, {
      clients: storedKind(
        () => [{ ...stored, provider }],
        clients,
        ({ clientId }) => clientId,
      ),
    });
    const registered: IdentityProvider = {
      issuer,
      registrationId,
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      jwksUri: `${issuer}/jwks`,
      allowedAlgorithms: ['RS256'],
      owned: true,
      registeredAt: 1,
    };
    const registration = restorableProviders(used, {
      identityProviders: storedKind(
        () => [registered],
        providers,
        (one) => one.issuer,
      ),
    });
    const given = { ...options, readAudit: async () => [], dryRun };
    const rows = [
      ...(await restoreItems(context, client, given)),
      ...(await restoreItems(context, registration, given)),
    ];
    expect(rows.map(({ outcome }) => outcome)).toEqual(['restored', 'restored']);
    expect([clients.size, providers.size]).toEqual(dryRun ? [0, 0] : [1, 1]);
    // Whose it is now, not at the restore point.
    if (owner !== '' && !dryRun) expect(providers.get(issuer)?.ownedBy).toBe(owner);
    return rows.map(({ lookAt }) => lookAt.join('; '));
  }

  const unreadable =
    'whether it is granted could not be read (throttled): run authctl provider check';

  it.each([
    ['an id that is granted to none', {}, [`${notGranted} none`, '']],
    ['an id of another trunk group', { trunkGroup: 'tg-2' }, [`${notGranted} tg-2`, '']],
    ['one that is only looked at', { dryRun: true }, [`${notGranted} none`, '']],
    ['what is granted to its trunk group', { trunkGroup: 'tg', owner: 'tg' }, ['', '']],
    [
      "its group's own provider without a grant",
      { owner: 'tg' },
      ['', 'the issuer is not granted to tg, whose provider it is'],
    ],
    ['grants that cannot be read', { fails: true, owner: 'tg' }, [unreadable, unreadable]],
  ])('tells of %s', async (_case, given, expected) => {
    expect(await restoreUnder(given)).toEqual(expected);
  });
});
