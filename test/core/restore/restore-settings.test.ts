import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredPerson } from '../../../core/audit/person-name.ts';
import type { GrantKind, GrantList } from '../../../core/identity-provider/grant.ts';
import type { ProviderOwner } from '../../../core/identity-provider/identity-provider.ts';
import { operations } from '../../../core/management/operations.ts';
import { erasePersonName } from '../../../core/management/person-names.ts';
import { restoreSettings } from '../../../core/restore/restore-settings.ts';
import { formatTime } from '../../../core/time.ts';
import type { TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { createTestManagement } from '../../support/management.ts';
import { createMemoryShelf } from '../../support/memory-shelf.ts';
import { storedKind } from '../../support/stored-kind.ts';

const issuer = 'https://sso.example.net/acme';
const ada = 'https://login.example.com#ada';
const grace = 'https://login.example.com#grace';
const vic = 'https://login.example.com#vic';
const both = ['tg-1', 'tg-2'];

let test: ReturnType<typeof createTestManagement>;
let since = 0;
let people: readonly StoredPerson[] = [];
/** What the table had at the restore point. */
let stored: {
  readonly limits: readonly TrunkGroupLimits[];
  readonly owners: readonly ProviderOwner[];
  readonly grants: readonly GrantList[];
};

const { setTrunkGroupLimits, setTrunkGroupEnabled, setIssuerGrant } = operations;
const grant = (trunkGroups: readonly string[]) =>
  setIssuerGrant(test.context, issuer, { trunkGroups: [...trunkGroups] });

/** Everything is stored, the staff changes it, and the table is lost. */
async function loseAfter(change: () => Promise<unknown>): Promise<void> {
  stored = structuredClone({
    limits: [...test.limits.values()],
    owners: [...test.owners.values()],
    grants: [...test.grants.values()],
  });
  test.now += 3600;
  since = test.now;
  await change();
  for (const kind of [test.limits, test.owners, test.grants, test.people]) kind.clear();
}

const grantsOf = (kind: GrantKind) =>
  storedKind(
    () => stored.grants.filter((one) => one.kind === kind),
    test.grants,
    ({ place }) => `${kind} ${place}`,
    (place) => `${kind} ${place}`,
  );

const restore = (dryRun = false, meanwhile = () => 0) =>
  restoreSettings(
    test.context,
    {
      limits: storedKind(
        () => stored.limits,
        test.limits,
        (one) => one.serviceTrunkGroup,
      ),
      owners: storedKind(
        () => stored.owners,
        test.owners,
        (one) => one.registrationId,
      ),
      subjectGrants: grantsOf('subject'),
      issuerGrants: grantsOf('issuer'),
      people: storedKind<StoredPerson>(
        () => people,
        test.people as Map<string, StoredPerson>,
        (one) => one.subject,
      ),
    },
    {
      async *readAudit() {
        const records = structuredClone(test.audit);
        meanwhile();
        yield* records;
      },
      shelf: createMemoryShelf(),
      undelete: new Set(),
      since,
      dryRun,
    },
  );

const outcomes = async (dryRun = false) =>
  (await restore(dryRun)).map(({ id, outcome }) => `${id} ${outcome}`);

beforeEach(() => {
  test = createTestManagement();
  people = [];
});

it('a withdrawn grant stays withdrawn, and of one that lost a trunk group the rest comes back', async () => {
  await grant(both);
  await loseAfter(() => grant(['tg-2']));
  const [row] = await restore();
  expect(row).toMatchObject({
    outcome: 'restored',
    because: [`grants: ${issuer} for tg-2, not ${issuer} for tg-1, tg-2`],
  });
  expect(row?.lookAt.join()).toMatch(/^issuer_grant\.set at .*: repeat it if it gave more/);
  const read = async () => (await test.context.issuerGrants.find('sso.example.net')).grants;
  expect(await read()).toEqual([{ value: issuer, trunkGroups: ['tg-2'] }]);

  await loseAfter(() => grant([]));
  expect(await outcomes()).toEqual(['sso.example.net restored']);
  expect(await read()).toEqual([]);
});

it('a grant that was made since is lost, and a dry run writes nothing', async () => {
  await loseAfter(() => grant(both));
  expect(await outcomes(true)).toEqual(['sso.example.net lost']);
  expect(test.grants.size).toBe(0);
});

it('of a list that is restored, each grant that was made since is told', async () => {
  await grant(both);
  const give = (value: string) => setIssuerGrant(test.context, value, { trunkGroups: both });
  await loseAfter(async () => {
    await give(`${issuer}-2`);
    test.now += 60;
    await give(`${issuer}-3`);
  });
  const [row] = await restore();
  expect([row?.outcome, row?.lookAt.length]).toEqual(['restored', 2]);
});

it('a grant that was made since is lost, also if another at its host was made and withdrawn later', async () => {
  const give = (value: string, trunkGroups: string[]) =>
    setIssuerGrant(test.context, value, { trunkGroups });
  await loseAfter(async () => {
    await grant(both);
    await give(`${issuer}-2`, both);
    await give(`${issuer}-2`, []);
  });
  expect(await outcomes()).toEqual(['sso.example.net lost']);
  test.audit.length = 0;
  await loseAfter(async () => {
    await grant(both);
    await grant([]);
  });
  expect(await outcomes()).toEqual([]);
});

it.each([
  ['lowered', { maxClients: 5, scopes: [], ownProviders: 2 }, { maxClients: 3 }, 3],
  ['raised', { maxClients: 3, scopes: [] }, { maxClients: 5, ownProviders: 2 }, 3],
  ['set at first', undefined, { maxClients: 3, scopes: [] }, 2],
])('limits that were %s are the strictest since', async (_, before, after, version) => {
  const set = (limits: object) => setTrunkGroupLimits(test.context, 'tg-1', limits);
  if (before !== undefined) await set(before);
  await loseAfter(() => set(after));
  expect(await outcomes()).toEqual(['tg-1 restored']);
  const strictest = { maxClients: 3, scopes: [], ownProviders: 0, version };
  expect(test.limits.get('tg-1')).toMatchObject(strictest);
  expect((await outcomes()).join()).not.toContain('restored');
});

it('limits of which the audit has only the intent count', async () => {
  await loseAfter(() => setTrunkGroupLimits(test.context, 'tg-1', { maxClients: 3 }));
  test.audit.splice(0, Infinity, ...test.audit.filter(({ outcome }) => outcome === 'intended'));
  expect(await outcomes()).toEqual(['tg-1 restored']);
  expect(test.limits.get('tg-1')).toMatchObject({ maxClients: 3 });
});

it('what changed before the restore point only comes back as it was', async () => {
  await setTrunkGroupLimits(test.context, 'tg-1', { maxClients: 1 });
  await grant(['tg-1']);
  await setTrunkGroupLimits(test.context, 'tg-1', { maxClients: 5 });
  await grant(both);
  await loseAfter(async () => undefined);
  await restore();
  expect([...test.limits.values(), ...test.grants.values()]).toEqual([
    ...stored.limits,
    ...stored.grants,
  ]);
});

it.each([
  [['tg-2'], 'restored', ['tg-2']],
  [['tg-3'], 'dropped', undefined],
  [[], 'dropped', undefined],
])('a provider that was given to %j since is %s', async (next, outcome, owned) => {
  const owner = { registrationId: 'idp_1', issuer, trunkGroups: both, version: 1, updatedAt: 1 };
  await test.context.providerOwners.put(owner);
  const changed = { registration_id: 'idp_1', service_trunk_groups: next };
  const record = { recordId: 'r#1', actor: 'a', time: '2027-01-15T09:00:00.000Z' };
  const action = 'identity_provider.set_trunk_groups';
  await loseAfter(async () => {
    test.audit.push({ ...record, action, subject: issuer, after: changed, outcome: 'done' });
  });
  expect(await outcomes()).toEqual([`idp_1 ${outcome}`]);
  expect(test.owners.get('idp_1')?.trunkGroups).toEqual(owned);
});

it('the owner of a provider that was registered since is lost, unless the provider was deleted again', async () => {
  const add = (action: string, id: string, groups?: readonly string[]) => {
    const view = { registration_id: id, service_trunk_groups: groups };
    const isDeletion = action.endsWith('.delete');
    const record = { actor: 'a', time: '2027-01-15T09:00:00.000Z', outcome: 'done' } as const;
    const states = isDeletion ? { before: view } : { after: view };
    const recordId = `${action}${id}#1`;
    test.audit.push({ ...record, recordId, action, subject: issuer, ...states });
  };
  await loseAfter(async () => {
    add('identity_provider.register', 'idp_1', both);
    add('identity_provider.register', 'idp_2');
    add('identity_provider.register', 'idp_3', both);
    add('identity_provider.delete', 'idp_3', both);
  });
  const [row, ...others] = await restore();
  expect([row?.id, row?.outcome, others]).toEqual(['idp_1', 'lost', []]);
  expect(row?.lookAt.join()).toContain('set the trunk groups of its provider again');
});

it('a provider that is given away while its owners are restored is told', async () => {
  const owner = { registrationId: 'idp_1', issuer, trunkGroups: both, version: 1, updatedAt: 1 };
  await test.context.providerOwners.put(owner);
  await loseAfter(async () => undefined);
  const after = { registration_id: 'idp_1', service_trunk_groups: ['tg-3'] };
  const action = 'identity_provider.set_trunk_groups';
  const record = { recordId: 'r#1', actor: 'a', time: '2027-01-15T09:00:00.000Z', action } as const;
  const [row] = await restore(false, () =>
    test.audit.push({ ...record, subject: issuer, after, outcome: 'done' }),
  );
  expect(row?.lookAt).toEqual([
    `${action} at ${record.time}, while this ran: see whether it still holds`,
  ]);
});

it('an erased name stays erased, also one that the table did not have yet', async () => {
  people = [
    { subject: ada, name: 'Ada' },
    { subject: grace, name: 'Grace' },
    { subject: vic, erased: true },
  ];
  await loseAfter(async () => {
    await erasePersonName(test.context, grace);
    await erasePersonName(test.context, `${grace}-2`);
  });
  expect(await outcomes()).toEqual([
    `${ada} restored`,
    `${grace} dropped`,
    `${grace}-2 dropped`,
    `${vic} dropped`,
  ]);
  for (const subject of [grace, `${grace}-2`, vic]) {
    await test.context.personNames.recordPersonName({ subject, name: 'Again' });
    expect(test.people.has(subject)).toBe(true);
    expect(test.people.get(subject)).toBeUndefined();
  }
  expect(test.people.get(ada)?.name).toBe('Ada');
  expect(JSON.stringify(test.audit)).not.toContain('Grace"');
});

describe('the stop of a trunk group', () => {
  const enable = (enabled: boolean) => setTrunkGroupEnabled(test.context, 'tg-1', enabled);
  const stopped = async () =>
    (await test.context.trunkGroupLimits.find('tg-1')).stops !== undefined;

  const twice = async () => {
    await enable(false);
    await enable(true);
  };
  const nothing = async () => undefined as unknown;
  it.each([
    ['made since', nothing, () => enable(false), true],
    ['made before', () => enable(false), nothing, true],
    ['that ended since', () => enable(false), () => enable(true), false],
    ['made and ended since', nothing, twice, false],
  ] as const)('%s', async (_, before, since, isStopped) => {
    await setTrunkGroupLimits(test.context, 'tg-1', { maxClients: 3 });
    await before();
    await loseAfter(since);
    await restore();
    expect(await stopped()).toBe(isStopped);
  });

  it('holds if it is not known whether it ended', async () => {
    await enable(false);
    await loseAfter(async () => {
      await enable(true);
      test.audit.pop();
    });
    await restore();
    expect(await stopped()).toBe(true);
  });

  it('holds if the clock of an end before it was ahead', async () => {
    await loseAfter(async () => {
      for (const one of [false, true, false]) await enable(one);
      const ahead = { time: formatTime(test.now + 60) };
      const { audit } = test;
      for (const one of audit) if (one.action.endsWith('resume')) Object.assign(one, ahead);
    });
    await restore();
    expect(await stopped()).toBe(true);
  });

  it('holds for the provider whose owner comes back', async () => {
    const of = { registrationId: 'idp_1', issuer, trunkGroups: ['tg-1'], version: 1, updatedAt: 1 };
    test.providers.set(issuer, { ...of, owned: true, registeredAt: 1 } as never);
    await test.context.providerOwners.put(of);
    await loseAfter(() => enable(false));
    await restore();
    expect(test.providers.get(issuer)?.stops).toHaveProperty('trunk_group');
  });

  it('made since in a group without limits is made again', async () => {
    await loseAfter(() => enable(false));
    expect(await outcomes()).toEqual(['tg-1 restored']);
    expect(await stopped()).toBe(true);
  });
});
