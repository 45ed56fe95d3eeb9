import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { batchGets } from '../../../adapters/dynamodb/clients/batch-gets.ts';
import type {
  BatchedGet,
  DynamoDbCalls,
} from '../../../adapters/dynamodb/clients/dynamodb-calls.ts';

type GetInput = Parameters<DynamoDbCalls['get']>[0];
type BatchOutput = Awaited<ReturnType<BatchedGet['batchGet']>>;

function awsError(name: string, status = 400): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } });
}

/** A table in which every key has an item but `missing`. */
function setUp() {
  const itemOf = (key: unknown) => (key === 'missing' ? undefined : { id: key, from: 'table' });
  const get = vi.fn(async ({ Key }: GetInput) => ({ Item: itemOf(Key?.['id']) }));
  const batchGet = vi.fn<BatchedGet['batchGet']>(
    async ({ Keys }): Promise<BatchOutput> => ({
      // In another order than that of the request.
      Items: Keys.toReversed().flatMap(({ id }) => itemOf(id) ?? []),
      UnprocessedKeys: [],
    }),
  );
  const refusals: unknown[] = [];
  const time = { now: 0 };
  const options = { onRefused: (error: unknown) => refusals.push(error), clock: () => time.now };
  const reads = batchGets({ get, batchGet }, options);
  const read = (id: string, different: Partial<GetInput> = {}, abortSignal?: AbortSignal) =>
    reads.get({ TableName: 'keys', Key: { id }, ...different }, { abortSignal });
  const keysOf = () => batchGet.mock.calls.map(([{ Keys }]) => Keys.map(({ id }) => id));
  return { reads, read, get, batchGet, keysOf, refusals, time };
}

const found = (id: string) => ({ Item: { id, from: 'table' } });

describe('reads of items', () => {
  it('are a GetItem if there is one, with the options of the read', async () => {
    const { read, get, batchGet } = setUp();
    const { signal } = new AbortController();
    expect(await read('a', { ConsistentRead: false }, signal)).toEqual(found('a'));
    expect(get).toHaveBeenCalledExactlyOnceWith(
      { TableName: 'keys', Key: { id: 'a' }, ConsistentRead: false },
      { abortSignal: signal },
    );
    expect(batchGet).not.toHaveBeenCalled();
  });

  it('of one turn are one batch, in which each key is once', async () => {
    const { read, get, keysOf } = setUp();
    const all = await Promise.all(['a', 'b', 'missing', 'a'].map((id) => read(id)));
    expect(all).toEqual([found('a'), found('b'), { Item: undefined }, found('a')]);
    expect(keysOf()).toEqual([['a', 'b', 'missing']]);
    expect(get).not.toHaveBeenCalled();
  });

  it('of the same key in one turn are one GetItem', async () => {
    const { read, get } = setUp();
    expect(await Promise.all([read('a'), read('a')])).toEqual([found('a'), found('a')]);
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('share nothing with those of a later turn: a read begins after it is asked for', async () => {
    const { read, get } = setUp();
    const first = read('a');
    await turn();
    await Promise.all([first, read('a')]);
    expect(get).toHaveBeenCalledTimes(2);
  });

  it.each<[string, Partial<GetInput>]>([
    ['another table', { TableName: 'others' }],
    ['another consistency', { ConsistentRead: true }],
    ['other attributes', { ProjectionExpression: '#0' }],
  ])('of %s are another request', async (_, different) => {
    const { read, keysOf, get } = setUp();
    await Promise.all([read('a'), read('b'), read('c', different)]);
    expect(keysOf()).toEqual([['a', 'b']]);
    expect(get.mock.calls.map(([{ Key }]) => Key)).toEqual([{ id: 'c' }]);
  });

  it('of another deadline are another request', async () => {
    const { read, get, batchGet } = setUp();
    await Promise.all([read('a'), read('b', {}, new AbortController().signal)]);
    expect(get).toHaveBeenCalledTimes(2);
    expect(batchGet).not.toHaveBeenCalled();
  });

  it('are as many in a batch as DynamoDB takes', async () => {
    const { read, keysOf } = setUp();
    const ids = Array.from({ length: 150 }, (_, index) => `k${index}`);
    expect(await Promise.all(ids.map((id) => read(id)))).toEqual(ids.map(found));
    expect(keysOf().map((keys) => keys.length)).toEqual([100, 50]);
  });
});

describe('what a batch does not answer', () => {
  it('is read by GetItem', async () => {
    const { read, get, batchGet } = setUp();
    batchGet.mockResolvedValueOnce({ Items: [{ id: 'a' }], UnprocessedKeys: [{ id: 'b' }] });
    expect(await Promise.all([read('a'), read('b')])).toEqual([{ Item: { id: 'a' } }, found('b')]);
    expect(get.mock.calls.map(([{ Key }]) => Key)).toEqual([{ id: 'b' }]);
  });

  it('is read by GetItem for a minute if batches are refused, which is told once', async () => {
    const { read, get, batchGet, refusals, time } = setUp();
    const denied = awsError('AccessDeniedException');
    batchGet.mockRejectedValue(denied);
    const both = () => Promise.all([read('a'), read('b')]);
    for (const now of [0, 59_999, 60_000]) {
      time.now = now;
      expect(await both()).toEqual([found('a'), found('b')]);
    }
    expect([batchGet.mock.calls.length, get.mock.calls.length]).toEqual([2, 6]);
    expect(refusals).toEqual([denied]);
  });

  it.each([
    ['an outage', awsError('InternalServerError', 500)],
    ['throttling', awsError('ThrottlingException')],
    ["the caller's deadline", awsError('AbortError')],
  ])('fails for all who wait if it is %s', async (_, error) => {
    const { read, get, batchGet, refusals } = setUp();
    batchGet.mockRejectedValueOnce(error);
    const all = await Promise.allSettled([read('a'), read('b')]);
    expect(all).toEqual([1, 2].map(() => ({ status: 'rejected', reason: error })));
    expect(get).not.toHaveBeenCalled();
    expect(refusals).toEqual([]);
  });
});

describe('the try of a batch at start', () => {
  const input = { TableName: 'keys', Key: { id: 'probe' } };

  it('is one batch of one key', async () => {
    const { reads, keysOf } = setUp();
    await reads.tryBatch(input);
    expect(keysOf()).toEqual([['probe']]);
  });

  it('tells of a refusal, after which none is sent', async () => {
    const { reads, read, batchGet, refusals } = setUp();
    batchGet.mockRejectedValue(awsError('AccessDeniedException'));
    await reads.tryBatch(input);
    expect(refusals).toHaveLength(1);
    await Promise.all([read('a'), read('b')]);
    expect(batchGet).toHaveBeenCalledTimes(1);
  });
});
