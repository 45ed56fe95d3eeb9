import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import { limitToTrunkGroups } from '../../../core/management/trunk-group-limit.ts';
import { isExpiring, keyInUse, secretsInUse } from '../../../core/notices/credential-notices.ts';
import { type ReportedCredential, sortByExpiry } from '../../../core/notices/daily-report.ts';
import { formatDay } from '../../../core/rfc3339.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';
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

describe('what expires first, as of now', () => {
  /** A client with one secret that expires after so many days. */
  async function createClientWith(world: World, name: string, days: number) {
    const { management, now } = world;
    const { client } = await management.createClient({
      name,
      serviceTrunkGroup: 'tg-1001',
      scopes: ['messaging:view'],
    });
    const { secret } = await management.createClientSecret(client.clientId, {
      expiresAt: now + days * 86_400,
    });
    return { clientId: client.clientId, secretId: secret.secretId };
  }

  async function report(world: World): Promise<void> {
    const { clients, apiKeys, dailyReport, now } = world;
    const credentials = sortByExpiry(
      [
        ...[...clients.values()].flatMap((client) => secretsInUse(client, now)),
        ...[...apiKeys.values()].flatMap((one) => keyInUse(one, now)),
      ].filter((one) => isExpiring(one, now)),
    );
    const stored = { slot: 'b', time: now, attempt: 9 } as const;
    const parts = await dailyReport.writeCredentials(stored, credentials);
    const { version = 0 } = (await dailyReport.readState()) ?? {};
    await dailyReport.writeState({
      version: version + 1,
      report: { ...stored, parts, count: credentials.length },
      changesUntil: {},
    });
    world.now += 3600;
  }

  const namesOf = ({ items }: Awaited<ReturnType<typeof listExpiring>>) =>
    items.map((one) => (one.kind === 'api_key' ? one.keyName : one.clientName));

  it('is the report without what was stopped or moved since, and with what is new', async () => {
    const world = await createWorld();
    const { management } = world;
    const disabled = await createClientWith(world, 'disabled', 1);
    const moved = await createClientWith(world, 'moved', 2);
    const deleted = await createClientWith(world, 'deleted', 3);
    await createClientWith(world, 'as before', 9);
    const nearer = await createClientWith(world, 'now nearer', 200);
    await report(world);
    await management.setClientEnabled(disabled.clientId, false);
    await management.deleteClient(deleted.clientId);
    const move = (one: typeof moved, days: number) =>
      management.updateClientSecret(one.clientId, one.secretId, {
        expiresAt: world.now + days * 86_400,
      });
    await move(moved, 300);
    await move(nearer, 5);
    await createClientWith(world, 'new', 7);
    expect(namesOf(await listExpiring(world.context))).toEqual([
      'disabled',
      'moved',
      'deleted',
      'as before',
    ]);
    const page = await listExpiring(world.context, { asOfNow: true });
    expect(namesOf(page)).toEqual(['now nearer', 'new', 'as before']);
    expect(page.isPartial).toBeUndefined();
  });

  it('is so for API keys: stopped, moved, rotated and new', async () => {
    const world = await createWorld();
    const { management } = world;
    const createKey = async (name: string, days: number) => {
      const expiresAt = world.now + days * 86_400;
      const { key: created } = await management.createApiKey({
        name,
        serviceTrunkGroup: 'tg-1001',
        expiresAt,
      });
      return created.keyId;
    };
    const disabled = await createKey('disabled', 1);
    const deleted = await createKey('deleted', 2);
    const moved = await createKey('moved', 3);
    const rotated = await createKey('rotated with its end', 4);
    const renewed = await createKey('rotated with another end', 5);
    const forever = await createKey('never expires now', 6);
    await createClientWith(world, 'a client', 7);
    const nearer = await createKey('now nearer', 200);
    await report(world);
    await management.setApiKeyEnabled(disabled, false);
    await management.deleteApiKey(deleted);
    await management.updateApiKey(moved, { expiresAt: world.now + 300 * 86_400 });
    await management.rotateApiKey(rotated, { overlap: 86_400 });
    await management.rotateApiKey(renewed, {
      overlap: 2 * 86_400,
      expiresAt: world.now + 90 * 86_400,
    });
    await management.updateApiKey(forever, { expiresAt: null });
    await management.updateApiKey(nearer, { expiresAt: world.now + 8 * 86_400 });
    await createKey('new', 9);
    const page = await listExpiring(world.context, { asOfNow: true });
    // Also the values that the rotations have replaced, which expire before their keys.
    expect(namesOf(page)).toEqual([
      'rotated with its end',
      'rotated with another end',
      'rotated with its end',
      'a client',
      'now nearer',
      'new',
    ]);
    const values = page.items.map((one) => one.kind === 'api_key' && one.valueId !== undefined);
    expect(values).toEqual([true, true, false, false, false, false]);
    expect(page.isPartial).toBeUndefined();
  });

  it('reads only as much as it needs', async () => {
    const world = await createWorld();
    for (let index = 0; index < 112; index++)
      await createClientWith(world, `ends ${index}`, 1 + index / 4);
    world.audit.length = 0;
    await report(world);
    let reads = 0;
    Object.assign(world.context.clients, {
      findClients: async (ids: readonly string[]) => {
        reads += ids.length;
        return ids.flatMap((id) => world.clients.get(id) ?? []);
      },
    });
    const page = await listExpiring(world.context, { asOfNow: true, limit: 2 });
    expect([namesOf(page), reads]).toEqual([['ends 0', 'ends 1'], 100]);
  });

  it('says whether callers have moved to a newer secret', async () => {
    const world = await createWorld();
    const { clientId, secretId } = await createClientWith(world, 'rotated', 5);
    const { secret: newer } = await world.management.createClientSecret(clientId, {});
    await report(world);
    const client = world.clients.get(clientId);
    if (client === undefined) throw new Error('it exists');
    const day = formatDay(world.now);
    const secrets = client.secrets.map((one) =>
      one.secretId === newer.secretId ? { ...one, createdAt: world.now, lastUsedOn: day } : one,
    );
    world.clients.set(clientId, { ...client, secrets });
    const { items } = await listExpiring(world.context, { asOfNow: true });
    expect(items).toMatchObject([{ secretId, replaced: true }]);
  });

  it('has nothing of other trunk groups', async () => {
    const world = await createWorld();
    await createClientWith(world, 'mine', 5);
    await report(world);
    await createClientWith(world, 'new', 6);
    const limited = limitToTrunkGroups(world.context, ['tg-2002']);
    expect(namesOf(await listExpiring(limited, { asOfNow: true }))).toEqual([]);
  });

  it('says that it is partial if a region does not answer', async () => {
    const world = await createWorld();
    await report(world);
    const { auditHistory } = world.context;
    Object.assign(world.context, {
      auditHistory: {
        ...auditHistory,
        readChanges: async () => {
          throw new UnavailableError('it does not answer');
        },
      },
    });
    expect((await listExpiring(world.context, { asOfNow: true })).isPartial).toBe(true);
  });
});
