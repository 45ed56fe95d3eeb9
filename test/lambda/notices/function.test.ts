import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { DynamoDbDocuments } from '../../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import type { NoticeDetail } from '../../../contract/notices.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client, ClientSecret } from '../../../core/client/client.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { PutNotices } from '../../../core/notices/expiry-notices.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createNoticesHandler } from '../../../lambda/notices/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';

const day = 86_400;
const now = Date.parse('2027-01-15T12:00:00Z') / 1000;
const event = { scheduled_time: '2027-01-15T12:00:00Z' };
const hash = `sha256$${'A'.repeat(43)}`;
const common = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1',
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};

function clientOf(
  number: number,
  secret: Partial<ClientSecret>,
  more: Partial<Client> = {},
): Client {
  const secretId = `secret_${number}`;
  return {
    ...common,
    clientId: `client_${number}`,
    audiences: [],
    tokenLifetime: 60,
    scopes: [],
    secrets: [{ secretId, hash, createdAt: 1, ...secret }],
    ...more,
  };
}

const key: ApiKey = {
  ...common,
  keyId: 'key_1',
  hash,
  subnets: [],
  expiresAt: now + 7 * day,
  oldValues: [{ valueId: 'value_1', hash, expiresAt: now + day }],
};

const perPage = 7;

/** Tables whose items are in ten segments, in pages, and a bus. */
function createRun(clients: readonly Item[], keys: readonly Item[] = [], put?: PutNotices) {
  const reports: RunReport[] = [];
  const sent: NoticeDetail[][] = [];
  const inputs: ScanCommandInput[] = [];
  const calls = { now: 0, most: 0 };
  const call = async <T>(result: () => T | Promise<T>): Promise<T> => {
    calls.most = Math.max(calls.most, ++calls.now);
    await Promise.resolve();
    calls.now -= 1;
    return result();
  };
  const scan = (input: ScanCommandInput) =>
    call(() => {
      inputs.push(input);
      const { TableName, Segment = 0, TotalSegments = 1, ExclusiveStartKey } = input;
      const all = (TableName === 'clients' ? clients : keys).filter(
        (_, index) => index % TotalSegments === Segment,
      );
      const from = Number(ExclusiveStartKey?.['from'] ?? 0);
      const to = from + perPage;
      const LastEvaluatedKey = to < all.length ? { from: to } : undefined;
      return { Items: all.slice(from, to), LastEvaluatedKey };
    });
  const putNotices: PutNotices = (notices) =>
    call(async () => {
      await put?.(notices);
      sent.push([...notices]);
    });
  const handler = createNoticesHandler(
    { deploymentName: 'test', clientsTable: 'clients', apiKeysTable: 'keys' },
    { dynamodb: { scan } as unknown as DynamoDbDocuments, putNotices },
    { report: (report) => reports.push(report) },
  );
  return { handler, reports, sent, inputs, calls };
}

const itemOf = (seconds: number) => toClientItem(clientOf(1, { expiresAt: now + seconds }));

describe('which credentials are told', () => {
  it.each([
    [30 * day, 30],
    [30 * day + 1, undefined],
    [29 * day + 1, 30],
    [29 * day, undefined],
    [14 * day, 14],
    [7 * day, 7],
    [day, 1],
    [1, 1],
    [0, undefined],
    [-day, undefined],
  ])('what ends %i seconds later: %s days', async (seconds, days) => {
    const { handler, sent } = createRun([itemOf(seconds)]);
    await handler(event);
    expect(sent.flat().map((one) => one.days_to_expiry)).toEqual(days === undefined ? [] : [days]);
  });

  it('each number of days once, in runs a day apart', async () => {
    const told: number[] = [];
    for (let number = 0; number < 40; number++) {
      const { handler, sent } = createRun([itemOf(31 * day + 4321)]);
      await handler({ scheduled_time: new Date((now + number * day) * 1000).toISOString() });
      told.push(...sent.flat().map((one) => one.days_to_expiry));
    }
    expect(told).toEqual([30, 14, 7, 1]);
  });

  it.each<[string, Item]>([
    ['a disabled secret', toClientItem(clientOf(1, { expiresAt: now + day, stops: personStop }))],
    [
      'a disabled client',
      toClientItem(clientOf(1, { expiresAt: now + day }, { stops: personStop })),
    ],
    ['a disabled key', toApiKeyItem({ ...key, stops: personStop })],
  ])('not %s', async (_, item) => {
    const isKey = item['key_id'] !== undefined;
    const { handler, sent } = createRun(isKey ? [] : [item], isKey ? [item] : []);
    expect(await handler(event)).toEqual({ told: 0, unread: 0 });
    expect(sent).toEqual([]);
  });

  it('says which they are, without a hash', async () => {
    const secret = { name: 'spring', expiresAt: now + 14 * day, lastUsedOn: '2027-01-14' };
    const { handler, sent } = createRun([toClientItem(clientOf(1, secret))], [toApiKeyItem(key)]);
    await handler(event);
    const [notices] = [sent.flat()];
    const same = {
      version: 1,
      notice_id: expect.stringMatching(/^[\w-]{43}$/),
      deployment: 'test',
      service_trunk_group: 'tg-1',
    };
    expect(JSON.parse(JSON.stringify(notices))).toEqual([
      {
        ...same,
        credential: 'client_secret',
        client_id: 'client_1',
        client_name: 'Billing',
        secret_id: 'secret_1',
        secret_name: 'spring',
        last_used_on: '2027-01-14',
        expires_at: '2027-01-29T12:00:00Z',
        days_to_expiry: 14,
      },
      {
        ...same,
        credential: 'api_key',
        key_id: 'key_1',
        key_name: 'Billing',
        expires_at: '2027-01-22T12:00:00Z',
        days_to_expiry: 7,
      },
      {
        ...same,
        credential: 'api_key',
        key_id: 'key_1',
        key_name: 'Billing',
        value_id: 'value_1',
        expires_at: '2027-01-16T12:00:00Z',
        days_to_expiry: 1,
      },
    ]);
    expect(new Set(notices?.map((one) => one.notice_id)).size).toBe(3);
  });
});

describe('a run', () => {
  const many = Array.from({ length: 500 }, (_, number) =>
    toClientItem(clientOf(number, { expiresAt: now + day })),
  );

  it('makes ten calls at once, with eventual reads, and sends ten notices in a call', async () => {
    const { handler, sent, inputs, calls } = createRun(many);
    expect(await handler(event)).toEqual({ told: 500, unread: 0 });
    expect(calls.most).toBe(10);
    expect(inputs.every(({ ConsistentRead }) => ConsistentRead === false)).toBe(true);
    expect(Math.max(...sent.map((notices) => notices.length))).toBe(10);
    expect(new Set(sent.flat().map((one) => one.notice_id)).size).toBe(500);
  });

  it('has the same notices and ids when it is repeated later, or begins seconds late', async () => {
    const first = createRun(many);
    await first.handler(event);
    const again = createRun(many);
    await again.handler({ scheduled_time: '2027-01-15T12:00:42Z' });
    expect(again.sent.flat()).toEqual(first.sent.flat());
  });

  it('counts what cannot be read, and tells the rest', async () => {
    const { handler, sent, reports } = createRun([{ client_id: 'x' }, ...many.slice(0, 3)]);
    expect(await handler(event)).toEqual({ told: 3, unread: 1 });
    expect(sent.flat()).toHaveLength(3);
    expect(reports).toEqual([
      {
        level: 'warn',
        outcome: 'told',
        fields: { told: 3, unread: 1 },
        metrics: { NoticesTold: 1 },
      },
    ]);
  });

  it('fails if the bus does not accept something, after it has tried all others', async () => {
    const { handler, reports, sent } = createRun(many, [], async (notices) => {
      const isLost = notices.some((one) => 'secret_id' in one && one.secret_id === 'secret_0');
      if (isLost) throw new UnavailableError('EventBridge did not accept 1 of 10 notices');
    });
    await expect(handler(event)).rejects.toThrow('EventBridge did not accept 1 of 10 notices');
    expect(sent.flat()).toHaveLength(450);
    expect(reports).toMatchObject([
      { level: 'error', outcome: 'failed', fields: { told: 450 }, metrics: { NoticesTold: 0 } },
    ]);
  });

  it.each([undefined, {}, { scheduled_time: 'noon' }])('refuses the event %o', async (wrong) => {
    const { handler, inputs, reports } = createRun(many);
    await expect(handler(wrong)).rejects.toThrow('allowed: "scheduled_time"');
    expect(inputs).toEqual([]);
    expect(reports).toMatchObject([{ outcome: 'failed' }]);
  });
});
