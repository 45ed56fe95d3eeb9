import { describe, expect, it } from 'vitest';
import { limitToTrunkGroups } from '../../../core/management/trunk-group-limit.ts';
import type { ReportedCredential } from '../../../core/notices/daily-report.ts';
import { createTestManagement } from '../../support/management.ts';
import { listExpiring } from '../../support/operations.ts';

const time = 1_800_000_000;

const key = (number: number): ReportedCredential => ({
  kind: 'api_key',
  serviceTrunkGroup: `tg-${number % 3}`,
  keyId: `key_${number}`,
  keyName: `Key ${number}`,
  expiresAt: time + number,
});

async function createReported(count = 9) {
  const test = createTestManagement();
  const stored = { slot: 'a', time, attempt: 1 } as const;
  const credentials = Array.from({ length: count }, (_, number) => key(number));
  const parts = await test.dailyReport.writeCredentials(stored, credentials);
  const report = { ...stored, parts, count };
  await test.dailyReport.writeState({ version: 1, report, changesUntil: {} });
  return test;
}

const idsOf = ({ items }: Awaited<ReturnType<typeof listExpiring>>) =>
  items.map((one) => one.kind === 'api_key' && one.keyId);

describe('the list of what expires', () => {
  it('is empty, without a time, before the first daily run', async () => {
    const { context } = createTestManagement();
    expect(await listExpiring(context)).toEqual({ items: [], total: 0 });
  });

  it('is that of the last run, with its time', async () => {
    const { context } = await createReported(2);
    expect(await listExpiring(context)).toEqual({
      reportedAt: time,
      items: [key(0), key(1)],
      total: 2,
      nextCursor: undefined,
    });
  });

  it('is read in pages, in one order', async () => {
    const { context } = await createReported(5);
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await listExpiring(context, { limit: 2, cursor });
      expect(page.total).toBe(5);
      found.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(['key_0', 'key_1', 'key_2', 'key_3', 'key_4']);
  });

  it('has one trunk group if it is asked for', async () => {
    const { context } = await createReported();
    const page = await listExpiring(context, { trunkGroup: 'tg-1' });
    expect(idsOf(page)).toEqual(['key_1', 'key_4', 'key_7']);
    expect(page.total).toBe(3);
  });

  it.each([
    [['tg-1'], undefined, ['key_1', 'key_4', 'key_7']],
    [['tg-1'], 'tg-2', []],
    [[], undefined, []],
  ])('has only what a caller of %j can access, filtered by %s', async (groups, trunkGroup, ids) => {
    const { context } = await createReported();
    const page = await listExpiring(limitToTrunkGroups(context, groups), { trunkGroup });
    expect(idsOf(page)).toEqual(ids);
    expect(page.total).toBe(ids.length);
  });

  it('does not go on in the list of another run', async () => {
    const { context, dailyReport } = await createReported();
    const { nextCursor } = await listExpiring(context, { limit: 2 });
    const stored = { slot: 'b', time: time + 86_400, attempt: 1 } as const;
    await dailyReport.writeCredentials(stored, []);
    const report = { ...stored, parts: 1, count: 0 };
    await dailyReport.writeState({ version: 2, report, changesUntil: {} });
    await expect(listExpiring(context, { cursor: nextCursor })).rejects.toMatchObject({
      name: 'ConflictError',
      message: 'the list is of another daily run: start again without a cursor',
    });
  });

  it.each(['', 'x', Buffer.from('1 2 3').toString('base64url'), 'MTIz'])(
    'refuses the cursor %j',
    async (cursor) => {
      const { context } = await createReported();
      await expect(listExpiring(context, { cursor })).rejects.toMatchObject({
        name: 'InputError',
        field: 'cursor',
      });
    },
  );
});
