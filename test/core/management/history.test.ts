import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import { restrictToTrunkGroups } from '../../../core/management/caller-reach.ts';
import type { HistoryPage } from '../../../core/management/list-changes.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import { createMemoryAuditHistory, createMemoryAuditLog } from '../../support/memory-stores.ts';
import {
  createClient,
  createClientSecret,
  deleteClient,
  deleteClientSecret,
  listAudit,
  listHistory,
  setClientEnabled,
} from '../../support/operations.ts';

const day = 86_400;

async function addClient({ context }: TestManagement, serviceTrunkGroup = 'tg-1') {
  const given = { name: 'Billing', serviceTrunkGroup, scopes: ['calls:view'] };
  const { client } = await createClient(context, given);
  return client.clientId;
}

/** Every page of a history. */
async function readAll(context: ManagementContext, id: string): Promise<readonly HistoryPage[]> {
  const pages: HistoryPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await listHistory(context, id, { cursor });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

const actionsOf = (pages: readonly HistoryPage[]) =>
  pages.flatMap(({ items }) => items.map(({ action }) => action));

describe('the history of a client', () => {
  it('has its changes and those of its secrets, also of deleted ones, over years', async () => {
    const test = createTestManagement();
    const id = await addClient(test);
    const other = await addClient(test);
    test.now += 200 * day;
    const { secret } = await createClientSecret(test.context, id, {});
    await createClientSecret(test.context, other, {});
    test.now += 500 * day;
    await deleteClientSecret(test.context, id, secret.secretId);
    await setClientEnabled(test.context, id, false);
    const pages = await readAll(test.context, id);
    expect(actionsOf(pages)).toEqual([
      'client.disable',
      'client_secret.delete',
      'client_secret.create',
      'client.create',
    ]);
    expect(
      pages
        .map(({ until }) => until)
        .toSorted()
        .toReversed(),
    ).toEqual(pages.map(({ until }) => until));
    expect(pages.flatMap(({ items }) => items).every(({ outcome }) => outcome === 'done')).toBe(
      true,
    );
  });

  it('of a deleted client goes back 400 days', async () => {
    const test = createTestManagement();
    const id = await addClient(test);
    test.now += 399 * day;
    await deleteClient(test.context, id);
    expect(actionsOf(await readAll(test.context, id))).toEqual(['client.delete', 'client.create']);
    test.now += 2 * day;
    expect(actionsOf(await readAll(test.context, id))).toEqual(['client.delete']);
  });

  it('joins a change whose intent and outcome are on two pages', async () => {
    const test = createTestManagement();
    const id = await addClient(test);
    // 16 days are a page: the intent is in the last second of the day before it.
    test.now = 1_800_057_600 - 1;
    const [intent] = test.audit;
    test.audit.splice(0, 2);
    const change = { ...intent, subject: id, action: 'client.disable', before: {} };
    const record = (seconds: number, suffix: string, outcome: 'intended' | 'done') => ({
      ...change,
      time: new Date(seconds * 1000).toISOString(),
      recordId: `change${suffix}`,
      actor: 'a',
      outcome,
    });
    test.audit.push(record(test.now, '-1-intended', 'intended'));
    test.audit.push(record(test.now + 1, '-2-done', 'done'));
    test.now += 16 * day - day / 2;
    const pages = await readAll(test.context, id);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ items }) => items.map(({ outcome }) => outcome))).toEqual(['done']);
  });

  it('is read from every region, and names those that do not answer', async () => {
    const test = createTestManagement();
    const id = await addClient(test);
    test.now += 1;
    await setClientEnabled(test.context, id, false);
    const down = new UnavailableError('could not read the audit in us-east-1');
    const audits = { slc: test.audit.slice(0, 2), dfw: test.audit.slice(2), pit: down };
    const context = { ...test.context, auditHistory: createMemoryAuditHistory(audits) };
    const [page] = await readAll(context, id);
    expect(page?.items.map(({ action, region }) => [action, region])).toEqual([
      ['client.disable', 'dfw'],
      ['client.create', 'slc'],
    ]);
    expect(page?.unread).toEqual([{ region: 'pit', reason: down.message }]);
    const none = { ...context, auditHistory: createMemoryAuditHistory({ pit: down }) };
    await expect(listHistory(none, id)).rejects.toThrow(down);
  });

  it('of another trunk group has nothing', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'tg-2');
    const own = restrictToTrunkGroups(test.context, ['tg-1']);
    expect(actionsOf(await readAll(own, id))).toEqual([]);
    expect(actionsOf(await readAll(restrictToTrunkGroups(test.context, ['tg-2']), id))).toEqual([
      'client.create',
    ]);
  });

  it.each([
    [{ since: '2027-02-30' }, 'since: received "2027-02-30"; allowed: a UTC day'],
    [{ cursor: 'x' }, 'cursor: received "x"; allowed: the nextCursor of a page'],
    [{ cursor: Buffer.from('["yesterday"]').toString('base64url') }, 'cursor: received'],
    [{ cursor: Buffer.from('["2027-01-01",1]').toString('base64url') }, 'cursor: received'],
    [{ day: '2027-01-01' }, 'day'],
  ])('refuses the filter %j', async (filter: object, message) => {
    const test = createTestManagement();
    const id = await addClient(test);
    await expect(listHistory(test.context, id, filter)).rejects.toThrow(message);
  });
});

describe('the actors that a customer sees', () => {
  const role = 'arn:aws:sts::444455556666:assumed-role/AcmeOps/ada';
  const start = async () => {
    const test = createTestManagement();
    const reach = [
      { principals: ['arn:aws:iam::444455556666:role/AcmeOps'], trunkGroups: ['tg-1'] },
      { principals: ['777788889999'], trunkGroups: ['tg-2'] },
      { principals: ['arn:aws:iam::123456789012:role/Hosted'], trunkGroups: ['tg-1'] },
    ];
    const { config } = test.context;
    const management = { ...config.management, reach };
    const context = { ...test.context, config: { ...config, management }, account: '123456789012' };
    const id = await addClient(test);
    return { ...test, context, id };
  };

  it.each([
    ['the own role', role, role],
    ['the own user at the login', 'https://login.example#ada', 'https://login.example#ada'],
    [
      'a role of the own in the account of the deployment',
      'arn:aws:sts::123456789012:assumed-role/Hosted/ada',
      'assumed-role/Hosted/ada',
    ],
    ['the staff', 'arn:aws:iam::123456789012:user/grace', 'Platform staff'],
    ['a session named as the role', 'arn:aws:sts::1:assumed-role/x/AcmeOps', 'Platform staff'],
    ['the role of another customer', 'arn:aws:iam::777788889999:role/r', 'Platform staff'],
  ])('%s', async (_, actor, shown) => {
    const { context, id } = await start();
    await setClientEnabled({ ...context, actor: async () => actor }, id, false);
    const own = restrictToTrunkGroups(context, ['tg-1']);
    const [history] = await readAll(own, id);
    const { items } = await listAudit(own);
    expect([history?.items[0]?.actor, items[0]?.actor]).toEqual([shown, shown]);
    // A search does not tell what is not shown.
    const found = await listAudit(own, { text: actor });
    expect(found.items).toHaveLength(shown === actor ? 1 : 0);
    expect((await listAudit(context)).items[0]?.actor).toBe(actor);
  });
});

describe('the audit of a trunk group', () => {
  it('has nothing that is also about another one', async () => {
    const test = createTestManagement();
    const change = {
      time: '2027-01-15T08:00:00.000Z',
      recordId: '0000000000000000000000-2-done',
      actor: 'ada',
      action: 'identity_provider.register',
      subject: 'https://idp.example',
      outcome: 'done',
    } as const;
    test.audit.push({ ...change, after: { service_trunk_groups: ['tg-1', 'tg-2'] } });
    test.audit.push({ ...change, recordId: '0000000000000000000001-2-done' });
    // Also if the index gave what belongs to no trunk group.
    const { auditPages } = test.context;
    const readAudit: typeof auditPages.readAudit = (query) =>
      auditPages.readAudit({ ...query, trunkGroups: undefined });
    const context = { ...test.context, auditPages: { ...auditPages, readAudit } };
    const listedBy = async (groups: readonly string[]) => {
      const { items, examined } = await listAudit(restrictToTrunkGroups(context, groups));
      return { items: items.length, examined };
    };
    expect(await listedBy(['tg-1'])).toEqual({ items: 0, examined: 0 });
    expect(await listedBy(['tg-1', 'tg-2'])).toEqual({ items: 1, examined: 1 });
  });

  it('has each own change once, and cursors without ids of others', async () => {
    const test = createTestManagement();
    for (let index = 0; index < 30; index++) {
      await addClient(test, `tg-${index % 3}`);
      if (index % 2 === 0) test.now += 1;
    }
    const own = restrictToTrunkGroups(test.context, ['tg-1']);
    const isForeign = ({ after }: (typeof test.audit)[number]) =>
      after?.['service_trunk_group'] !== 'tg-1';
    const foreign = test.audit
      .filter(isForeign)
      .map(({ recordId }) => recordId.split('-')[0] ?? '');
    for (const limit of [1, 2, 3, 7, 500]) {
      const subjects: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listAudit(own, { limit, cursor });
        subjects.push(...page.items.map(({ subject }) => subject));
        cursor = page.nextCursor;
        const decoded = Buffer.from(cursor ?? '', 'base64url').toString();
        for (const id of foreign) expect(decoded).not.toContain(id);
      } while (cursor !== undefined);
      const expected = test.audit.filter((one) => !isForeign(one)).map(({ subject }) => subject);
      expect(subjects.toSorted()).toEqual([...new Set(expected)].toSorted());
    }
  });
});

describe('a page of the audit of a restricted caller', () => {
  const noon = Date.UTC(2027, 0, 15, 12);

  function record(second: number, number: number, group: string) {
    return {
      time: new Date(noon - second * 1000).toISOString(),
      recordId: `change${String(number).padStart(3, '0')}-2-done`,
      actor: 'ada',
      action: 'client.update',
      subject: `client_${number}`,
      outcome: 'done',
      after: { service_trunk_group: group },
    } as const;
  }

  async function readPages(others: number, times: readonly number[], limit: number) {
    const own = times.map((second, number) => record(second, number, 'tg-1001'));
    const foreign = Array.from({ length: others }, (_, number) =>
      record(number % 7, 500 + number, 'tg-2002'),
    );
    const auditPages = createMemoryAuditLog([...own, ...foreign]);
    const { context } = createTestManagement();
    const limited = restrictToTrunkGroups({ ...context, auditPages }, ['tg-1001']);
    const pages: (readonly [number, number, string | undefined])[] = [];
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await limited.auditPages.readAudit({ day: '2027-01-15', limit, after });
      pages.push([page.items.length, page.examined, page.next]);
      ids.push(...page.items.map(({ recordId }) => recordId));
      after = page.next;
    } while (after !== undefined);
    expect(ids.toSorted()).toEqual(own.map(({ recordId }) => recordId).toSorted());
    return pages;
  }

  it.each([
    ['in different seconds', [0, 1, 2, 3, 4, 5]],
    ['more in one second than a page has', [0, 1, 1, 1, 1, 2]],
    ['all in one second', [3, 3, 3, 3, 3]],
    ['none', []],
  ])(
    'has the same length, count and end for any number of records of others: %s',
    async (_, times) => {
      const alone = await readPages(0, times, 2);
      for (const others of [1, 20, 300]) expect(await readPages(others, times, 2)).toEqual(alone);
    },
  );
});
