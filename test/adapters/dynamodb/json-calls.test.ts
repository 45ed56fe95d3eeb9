import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import {
  createBatchGet,
  createJsonCalls,
  rememberItems,
} from '../../../adapters/dynamodb/clients/json-calls.ts';

/** Gives the bodies one by one, as DynamoDB would send them. */
function clientOf(bodies: readonly object[]): AwsJsonClient {
  const rest = bodies.map((body) => JSON.stringify(body));
  return {
    open: () => undefined,
    close: () => undefined,
    call: async (_operation, _input, { read = JSON.parse } = {}) => read(rest.shift() ?? '{}'),
  };
}

const bodyWith = (text: string) => ({ Item: { id: { S: text }, parts: { M: {} } } });
const itemWith = (text: string) => ({ id: text, parts: {} });

async function getAll(bodies: readonly object[]) {
  const calls = createJsonCalls(clientOf(bodies), rememberItems());
  const items = [];
  for (const _ of bodies) {
    items.push((await calls.get({ TableName: 't', Key: { id: 'a' } }, {})).Item);
  }
  return items;
}

async function getBatches(texts: readonly string[]) {
  const bodies = texts.map((text) => ({ Responses: { t: [bodyWith(text).Item] } }));
  const batchGet = createBatchGet(clientOf(bodies));
  const items = [];
  for (const _ of bodies) {
    items.push(...(await batchGet({ TableName: 't', Keys: [{ id: 'a' }] }, {})).Items);
  }
  return items;
}

describe.each([
  ['GetItem', (texts: readonly string[]) => getAll(texts.map(bodyWith))],
  ['BatchGetItem', getBatches],
])('items of %s', (_operation, read) => {
  it('are the same object as long as they do not change', async () => {
    const [first, second, changed, back] = await read(['x', 'x', 'y', 'x']);
    expect(second).toBe(first);
    expect(changed).toEqual(itemWith('y'));
    expect(back).toBe(first);
  });

  it('equal what DynamoDB sent, after any sequence of reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', ' ')), async (texts) => {
        expect(await read(texts)).toEqual(texts.map(itemWith));
      }),
      { numRuns: 50 },
    );
  });

  it('are read again if they are long: what is kept has a bound', async () => {
    const long = 'x'.repeat(8192);
    const [first, second] = await read([long, long]);
    expect(second).toEqual(first);
    expect(second).not.toBe(first);
  });
});

it('keeps the last 1,000 items of GetItem, the oldest makes room', async () => {
  const texts = Array.from({ length: 1001 }, (_, index) => `client_${index}`);
  const items = await getAll([...texts, 'client_1000', 'client_0'].map(bodyWith));
  expect(items[1001]).toBe(items[1000]);
  expect(items[1002]).toEqual(items[0]);
  expect(items[1002]).not.toBe(items[0]);
});

it('a missing item stays missing', async () => {
  expect(await getAll([{}, bodyWith('x'), {}])).toEqual([undefined, itemWith('x'), undefined]);
});
