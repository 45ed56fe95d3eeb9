import { describe, expect, it } from 'vitest';
import { InputError } from '../../../core/errors.ts';
import type { ClientsFilter } from '../../../core/management/clients.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import {
  createClient,
  createClientSecret,
  listAudit,
  listClients,
  setClientEnabled,
} from '../../support/operations.ts';

const day = 86_400;

async function addClient(
  { context }: TestManagement,
  name: string,
  secrets: readonly { readonly expiresAt?: number }[] = [],
): Promise<string> {
  const { client } = await createClient(context, {
    name,
    serviceTrunkGroup: name.startsWith('A') ? 'tg-a' : 'tg-b',
    scopes: ['calls:view'],
  });
  for (const secret of secrets) await createClientSecret(context, client.clientId, secret);
  return client.clientId;
}

async function namesOf(test: TestManagement, filter: ClientsFilter): Promise<readonly string[]> {
  return (await listClients(test.context, filter)).items.map(({ name }) => name);
}

describe('a list of clients', () => {
  it.each<[ClientsFilter, readonly string[]]>([
    [{}, ['Alpha', 'Avocado', 'Billing']],
    [{ trunkGroup: 'tg-a' }, ['Alpha', 'Avocado']],
    [{ trunkGroup: 'tg-c' }, []],
    [{ text: 'BILL' }, ['Billing']],
    [{ text: '  ' }, ['Alpha', 'Avocado', 'Billing']],
    [{ enabled: false }, ['Avocado']],
    [{ enabled: true, trunkGroup: 'tg-a' }, ['Alpha']],
    [{ expiresWithin: 14 * day }, ['Alpha']],
    [{ expiresWithin: 13 * day }, []],
    [{ unusedFor: 0 }, ['Alpha', 'Billing']],
    [{ needsAttention: true }, ['Alpha']],
    [{ needsAttention: true, trunkGroup: 'tg-b' }, []],
  ])('that is narrowed down to %j', async (filter, expected) => {
    const test = createTestManagement();
    await addClient(test, 'Billing', [{}]);
    await addClient(test, 'Alpha', [{}, { expiresAt: test.now + 14 * day }]);
    await setClientEnabled(test.context, await addClient(test, 'Avocado'), false);
    expect(await namesOf(test, filter)).toEqual(expected);
  });

  it('finds a client by its id', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'Billing');
    await addClient(test, 'Alpha');
    expect(await namesOf(test, { text: id })).toEqual(['Billing']);
    expect(await namesOf(test, { text: id, trunkGroup: 'tg-b' })).toEqual(['Billing']);
    expect(await namesOf(test, { text: id, trunkGroup: 'tg-a' })).toEqual([]);
    expect(await namesOf(test, { text: id, enabled: false })).toEqual([]);
    expect(await namesOf(test, { text: id, provider: 'https://idp.example.com' })).toEqual([]);
    expect(await namesOf(test, { text: id, needsAttention: true })).toEqual([]);
  });

  it('finds a client by the id of a secret', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'Billing', [{}]);
    await addClient(test, 'Alpha', [{}]);
    const text = test.clients.get(id)?.secrets[0]?.secretId;
    expect(await namesOf(test, { text })).toEqual(['Billing']);
    expect(await namesOf(test, { text, trunkGroup: 'tg-a' })).toEqual([]);
  });

  it('shows each client on one page, with any filter', async () => {
    const test = createTestManagement();
    for (let index = 0; index < 25; index++) await addClient(test, index % 2 ? 'A' : 'B');
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await listClients(test.context, { limit: 4, cursor, trunkGroup: 'tg-a' });
      expect(page.items.length).toBeLessThanOrEqual(4);
      seen.push(...page.items.map(({ clientId }) => clientId));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(12);
    expect(new Set(seen).size).toBe(12);
    expect(pages).toBe(3);
  });

  it('says that secrets not used for 90 days need attention, never those of a disabled client', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'Billing', [{}]);
    expect(await namesOf(test, { needsAttention: true })).toEqual([]);
    test.now += 90 * day;
    expect(await namesOf(test, { needsAttention: true })).toEqual(['Billing']);
    await setClientEnabled(test.context, id, false);
    expect(await namesOf(test, { needsAttention: true })).toEqual([]);
  });

  it.each(['', '!', 'A', 'not base64', 'é'])('refuses the cursor %j', async (cursor) => {
    const { context } = createTestManagement();
    await expect(listClients(context, { cursor })).rejects.toThrow(InputError);
  });
});

describe('the audit of a day', () => {
  const today = '2027-01-15';

  it('has one line for each change, the newest first', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'Alpha', [{}]);
    test.now += 5;
    await setClientEnabled(test.context, id, false);
    const { items, nextCursor } = await listAudit(test.context);
    expect(items.map(({ time, action, outcome }) => [time, action, outcome])).toEqual([
      ['2027-01-15T08:00:05.000Z', 'client.disable', 'done'],
      ['2027-01-15T08:00:00.000Z', expect.stringMatching(/^client/), 'done'],
      ['2027-01-15T08:00:00.000Z', expect.stringMatching(/^client/), 'done'],
    ]);
    expect(items[0]?.before).toMatchObject({ enabled: true });
    expect(items[0]?.after).toMatchObject({ enabled: false });
    expect(nextCursor).toBeUndefined();
    expect((await listAudit(test.context, { day: '2027-01-14' })).items).toEqual([]);
  });

  it('finds the outcome of each change over the ends of pages', async () => {
    const test = createTestManagement();
    for (let index = 0; index < 7; index++) {
      test.now += 1;
      await addClient(test, `A${index}`);
    }
    // One change died before its outcome.
    test.audit.splice(7, 1);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit(test.context, { day: today, limit: 3, cursor });
      seen.push(...page.items.map(({ after, outcome }) => `${String(after?.name)} ${outcome}`));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([
      'A6 done',
      'A5 done',
      'A4 done',
      'A3 unfinished',
      'A2 done',
      'A1 done',
      'A0 done',
    ]);
  });

  it('has an outcome whose intent is in the audit of the day before, or nowhere', async () => {
    const test = createTestManagement();
    await addClient(test, 'Alpha');
    test.audit.splice(0, 1);
    const { items } = await listAudit(test.context);
    expect(items).toMatchObject([{ action: 'client.create', outcome: 'done' }]);
  });

  it('is narrowed down by actor, action by name and in words, subject, name and client', async () => {
    const test = createTestManagement();
    const id = await addClient(test, 'Alpha', [{}]);
    const count = async (text: string) => (await listAudit(test.context, { text })).items.length;
    expect(await count('client_secret')).toBe(1);
    // The record of a secret names its client.
    expect(await count(id)).toBe(2);
    expect(await count('Created a secret')).toBe(1);
    expect(await count('alpha')).toBe(1);
    expect(await count('USER/ADA')).toBe(2);
    expect(await count('nobody')).toBe(0);
  });

  it.each(['2027-02-30', '2027-1-1', 'today', ''])('refuses the day %j', async (wrong) => {
    const { context } = createTestManagement();
    await expect(listAudit(context, { day: wrong })).rejects.toMatchObject({ field: 'day' });
  });

  it.each(['W10', 'WzFd', 'bnVsbA', Buffer.from('["a",1]').toString('base64url')])(
    'refuses the cursor %s',
    async (cursor) => {
      const { context } = createTestManagement();
      await expect(listAudit(context, { cursor })).rejects.toThrow(InputError);
    },
  );
});
