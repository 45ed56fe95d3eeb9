import { createServer, type RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { QueryCommandInput, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { apiKeyUseTable, trunkGroupIndex } from '../../../contract/tables.ts';
import { answerParent } from '../../support/child-script.ts';
import { type Attributes, type GeneratedTable, generateTables } from './generated-tables.ts';

/*
 * DynamoDB's protocol over generated tables, in a process of its own, so the CPU time of the other one
 * is the product's. It counts calls and units: a read takes half a unit for each 4 KB, a strongly
 * consistent one a unit, and a page ends at 1 MiB. Writes are counted; only last uses are kept.
 */

const generated = generateTables(Number(process.env['SCALE_SIZE']));
const pageBytes = 1024 * 1024;

/** What is counted of each operation of a table. */
let counts: Record<string, { calls: number; units: number }> = {};
const lastUses = new Map<string, Attributes>();

/** About what DynamoDB counts of an item: names and values, without the types and marks of JSON. */
const bytesOf = (item: object) => JSON.stringify(item).length * 0.7;

function count(name: string, bytes: number, isConsistent: boolean | undefined): void {
  const entry = (counts[name] ??= { calls: 0, units: 0 });
  entry.calls += 1;
  entry.units += Math.ceil(bytes / 4096) * (isConsistent === true ? 1 : 0.5);
}

type PageInput = ScanCommandInput & Omit<QueryCommandInput, keyof ScanCommandInput>;

interface Input extends PageInput {
  readonly Key?: Attributes;
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys?: readonly Attributes[]; readonly ConsistentRead?: boolean }>
  >;
}

/** The filters of what is asked: some attributes must exist. */
function createFilter({ FilterExpression: filter, ExpressionAttributeNames: names = {} }: Input) {
  const terms = filter?.split(' AND ').map((term) => {
    const path = /^attribute_exists\(([\w#.]+)\)$/.exec(term)?.[1];
    if (path === undefined) throw new Error(`a filter that this server does not know: ${filter}`);
    return path.split('.').map((part) => names[part] ?? part);
  });
  return (item: Attributes) =>
    terms?.every(([first = '', ...rest]) =>
      rest.reduce((inner, part) => inner?.M?.[part], item[first]),
    ) ?? true;
}

/** Numbers of the items of a partition, of a whole table or of a segment of it, in their order. */
function candidates(table: GeneratedTable, isQuery: boolean, input: Input): readonly number[] {
  if (isQuery) {
    const value = /^\S+ = (:\w+)/.exec(input.KeyConditionExpression ?? '')?.[1] ?? '';
    const found = table.partitions.get(input.ExpressionAttributeValues?.[value]?.S ?? '') ?? [];
    return input.ScanIndexForward === false ? found.toReversed() : found;
  }
  const { Segment: segment = 0, TotalSegments: segments = 1 } = input;
  const ofSegment = Math.ceil((table.size - segment) / segments);
  return Array.from({ length: ofSegment }, (_, place) => segment + place * segments);
}

const pick = (item: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

function readPage(table: GeneratedTable, operation: string, input: Input): object {
  const { IndexName: index, Limit: limit = Number.POSITIVE_INFINITY } = input;
  const { partitionKey, sortKey, projected } = trunkGroupIndex;
  const isIndex = index === trunkGroupIndex.name;
  const keys = isIndex ? [...table.keys, partitionKey, sortKey] : table.keys;
  const meets = createFilter(input);
  const list = candidates(table, operation === 'Query', input);
  const { ExclusiveStartKey: start } = input;
  const first = start === undefined ? 0 : list.indexOf(table.indexOf(start)) + 1;
  const Items: Attributes[] = [];
  let [bytes, place] = [0, first];
  for (; place < list.length && place - first < limit && bytes < pageBytes; place++) {
    const whole = table.item(list[place] ?? 0);
    const item = isIndex ? pick(whole, [...keys, ...projected]) : whole;
    bytes += bytesOf(item);
    if (meets(item)) Items.push(item);
  }
  count(`${operation} ${input.TableName}`, bytes, input.ConsistentRead);
  return {
    ...(input.Select !== 'COUNT' && { Items }),
    Count: Items.length,
    ScannedCount: place - first,
    ...(place < list.length && { LastEvaluatedKey: pick(table.item(list[place - 1] ?? 0), keys) }),
  };
}

const tableOf = (name = '') => generated.get(name.replace(/^authorization-server-/, ''));

function readItem(name: string | undefined, key: Attributes): Attributes | undefined {
  const table = tableOf(name);
  const index = table?.indexOf(key) ?? -1;
  return table !== undefined && index >= 0 && index < table.size ? table.item(index) : undefined;
}

function answer(operation: string, input: Input): object {
  const { TableName: name, Key: key = {}, ConsistentRead: isConsistent } = input;
  const useId = key[apiKeyUseTable.partitionKey]?.S;
  if (operation === 'Query' || operation === 'Scan') {
    const table = tableOf(name);
    return table === undefined ? { Items: [], Count: 0 } : readPage(table, operation, input);
  }
  if (operation === 'GetItem') {
    const Item = useId === undefined ? readItem(name, key) : lastUses.get(useId);
    count(`GetItem ${name}`, bytesOf(Item ?? key), isConsistent);
    return { Item };
  }
  if (operation === 'BatchGetItem') {
    const asked = Object.entries(input.RequestItems ?? {});
    const read = asked.map(([table, { Keys = [], ConsistentRead }]) => {
      const found = Keys.map((one) => readItem(table, one)).filter((item) => item !== undefined);
      count(`BatchGetItem ${table}`, bytesOf(found), ConsistentRead);
      return [table, found] as const;
    });
    return { Responses: Object.fromEntries(read), UnprocessedKeys: {} };
  }
  const day = input.ExpressionAttributeValues?.[':day'];
  if (useId !== undefined && day !== undefined) {
    lastUses.set(useId, { [apiKeyUseTable.dayAttribute]: day });
  }
  count(`${operation} ${name}`, 0, false);
  return { UnprocessedItems: {} };
}

async function serve(...[request, response]: Parameters<RequestListener>): Promise<void> {
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  try {
    response.end(JSON.stringify(answer(operation, JSON.parse(await textOf(request)) as Input)));
  } catch (error) {
    response.statusCode = 400;
    response.end(JSON.stringify({ __type: 'x#ValidationException', message: String(error) }));
  }
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  // What was counted since the last question.
  answerParent({ port }, () => {
    const counted = counts;
    counts = {};
    return counted;
  });
});
