import { createServer, type RequestListener } from 'node:http';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { apiKeyUseTable, trunkGroupIndex } from '../../../contract/tables.ts';
import { answerParent } from '../../support/child-script.ts';
import { type GeneratedTable, generateTables } from './generated-tables.ts';

/*
 * DynamoDB's protocol over generated tables, in a process of its own, so the CPU time of the other one
 * is the product's. It counts calls and units: a read takes half a unit for each 4 KB, a strongly
 * consistent one a unit, and a page ends at 1 MiB. Writes are counted; only last uses are kept.
 */

const size = Number(process.env['SCALE_SIZE']);
const generated = generateTables({ clients: size, audit: size });
const pageBytes = 1024 * 1024;

/** What is counted of each operation of a table. */
const counts: Record<string, { calls: number; units: number; items: number }> = {};
const lastUses = new Map<string, string>();

function count(name: string, units: number, items: number): void {
  const entry = (counts[name] ??= { calls: 0, units: 0, items: 0 });
  entry.calls += 1;
  entry.units += units;
  entry.items += items;
}

function unitsOf(bytes: number, { ConsistentRead: isConsistent }: Input): number {
  return Math.ceil(bytes / 4096) * (isConsistent === true ? 1 : 0.5);
}

type Attributes = Readonly<Record<string, AttributeValue>>;

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Attributes;
  readonly Limit?: number;
  readonly Select?: string;
  readonly ConsistentRead?: boolean;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: Attributes;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly RequestItems?: Readonly<
    Record<string, Input & { readonly Keys?: readonly Attributes[] }>
  >;
}

/** Filters of this service: terms with AND or OR, of `=`, `IN` and `attribute_exists`. */
function createFilter(input: Input): (text: string) => boolean {
  const { FilterExpression: expression, ExpressionAttributeNames: names = {} } = input;
  if (expression === undefined) return () => true;
  const { ExpressionAttributeValues: values = {} } = input;
  const toTest = (term: string) => {
    const [, negated, path = '', list] =
      /^(?:attribute_(not_)?exists\()?([\w#.]+)\)?(?: (?:IN \(|= )([^)]+)\)?)?$/.exec(
        term.trim(),
      ) ?? [];
    const parts = path.split('.').map((part) => names[part] ?? part);
    const allowed = list?.split(',').map((value) => JSON.stringify(values[value.trim()]));
    return (item: Attributes) => {
      const [first = '', ...rest] = parts;
      const found = rest.reduce((inner, part) => inner?.M?.[part], item[first]);
      if (allowed !== undefined) return allowed.includes(JSON.stringify(found));
      return (found === undefined) === (negated !== undefined);
    };
  };
  const tests = expression.split(/ AND | OR /).map(toTest);
  const meets = expression.includes(' OR ') ? 'some' : 'every';
  return (text) => {
    const item = JSON.parse(text) as Attributes;
    return tests[meets]((test) => test(item));
  };
}

/** What a Query or a Scan goes through, in order. */
function candidates(table: GeneratedTable, operation: string, input: Input): readonly number[] {
  if (operation === 'Query') {
    const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input;
    const [, name = '', value = ''] =
      /^(\S+) = (:\w+)/.exec(input.KeyConditionExpression ?? '') ?? [];
    const found = table.partition(names[name] ?? name, String(unmarshall(values)[value]));
    return input.ScanIndexForward === false ? found.toReversed() : found;
  }
  const { Segment: segment = 0, TotalSegments: segments = 1 } = input;
  const ofSegment = Math.ceil((table.size - segment) / segments);
  return Array.from({ length: ofSegment }, (_, place) => segment + place * segments);
}

/** The first place after a key. Positions between two items have a time and `$`. */
function placeAfter(table: GeneratedTable, list: readonly number[], input: Input): number {
  if (input.ExclusiveStartKey === undefined) return 0;
  const key = unmarshall(input.ExclusiveStartKey);
  const sortKey = table.keys.at(-1) ?? '';
  const text = String(key[sortKey]);
  if (!text.endsWith('$')) return list.indexOf(table.find(key) ?? -1) + 1;
  const read = table.reader([sortKey]);
  const isPast = (index: number) =>
    (JSON.parse(read(index)) as Attributes)[sortKey]?.S ?? '' < text;
  const place = list.findIndex((index) => isPast(index));
  return place < 0 ? list.length : place;
}

function readPage(table: GeneratedTable, operation: string, input: Input): string {
  const { IndexName: index, Limit: limit = Number.POSITIVE_INFINITY } = input;
  const { partitionKey, sortKey, projected } = trunkGroupIndex;
  const isOwned = index === trunkGroupIndex.name;
  const keys = isOwned ? [...table.keys, partitionKey, sortKey] : table.keys;
  const read = table.reader(isOwned ? [...keys, ...projected] : undefined);
  const readKey = table.reader(keys);
  const meets = createFilter(input);
  const list = candidates(table, operation, input);
  const first = placeAfter(table, list, input);
  const found: string[] = [];
  let [bytes, place] = [0, first];
  for (; place < list.length && place - first < limit && bytes < pageBytes; place++) {
    const text = read(list[place] ?? 0);
    // About what DynamoDB counts: names and values, without the types and marks of JSON.
    bytes += text.length * 0.7;
    if (meets(text)) found.push(text);
  }
  count(
    `${operation} ${input.TableName}${index === undefined ? '' : ' index'}`,
    unitsOf(bytes, input),
    place - first,
  );
  const isLast = place >= list.length;
  const next = isLast ? '' : `,"LastEvaluatedKey":${readKey(list[place - 1] ?? 0)}`;
  const items = input.Select === 'COUNT' ? '' : `"Items":[${found.join(',')}],`;
  return `{${items}"Count":${found.length},"ScannedCount":${place - first}${next}}`;
}

function tableOf(name = ''): GeneratedTable | undefined {
  const suffix = name.replace(/^authorization-server-/, '');
  return generated.get(suffix);
}

function readItem(name: string | undefined, key: Attributes): string | undefined {
  const table = tableOf(name);
  const index = table?.find(unmarshall(key));
  return index === undefined ? undefined : table?.reader()(index);
}

function answer(operation: string, input: Input): string {
  const { TableName: name = '' } = input;
  if (operation === 'Query' || operation === 'Scan') {
    const table = tableOf(name);
    if (table !== undefined) return readPage(table, operation, input);
    count(`${operation} ${name}`, 0.5, 0);
    return '{"Items":[],"Count":0,"ScannedCount":0}';
  }
  const useId = input.Key?.[apiKeyUseTable.partitionKey]?.S;
  if (operation === 'GetItem') {
    const text = useId === undefined ? readItem(name, input.Key ?? {}) : lastUses.get(useId);
    count(`GetItem ${name}`, unitsOf((text ?? '').length * 0.7, input), 1);
    return text === undefined ? '{}' : `{"Item":${text}}`;
  }
  if (operation === 'BatchGetItem') {
    const read = Object.entries(input.RequestItems ?? {}).map(
      ([table, { Keys = [], ConsistentRead }]) => {
        const found = Keys.flatMap((key) => readItem(table, key) ?? []);
        count(
          `BatchGetItem ${table}`,
          Keys.length * (ConsistentRead === true ? 1 : 0.5),
          Keys.length,
        );
        return `${JSON.stringify(table)}:[${found.join(',')}]`;
      },
    );
    return `{"Responses":{${read.join(',')}},"UnprocessedKeys":{}}`;
  }
  if (useId !== undefined) {
    const day = input.ExpressionAttributeValues?.[':day'];
    lastUses.set(useId, JSON.stringify({ [apiKeyUseTable.dayAttribute]: day }));
  }
  count(`${operation} ${name}`, 1, 1);
  return operation === 'BatchWriteItem' ? '{"UnprocessedItems":{}}' : '{}';
}

async function serve(...[request, response]: Parameters<RequestListener>): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.setHeader('x-amzn-requestid', 'request');
  try {
    if (request.url === '/counts') {
      response.end(JSON.stringify(counts));
      for (const name of Object.keys(counts)) Reflect.deleteProperty(counts, name);
      return;
    }
    response.end(answer(operation, JSON.parse(Buffer.concat(chunks).toString()) as Input));
  } catch (error) {
    response.statusCode = 400;
    const message = String(error instanceof Error ? error.stack : error);
    response.end(JSON.stringify({ __type: 'x#ValidationException', message }));
  }
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  answerParent({ port: typeof address === 'object' ? address?.port : undefined }, () => null);
});
