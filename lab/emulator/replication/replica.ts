import { type TableSchema, tables } from '../../../contract/tables.ts';
import type { AwsCaller } from '../aws-server/aws-caller.ts';
import { type AwsCall, isStrong, isWrite } from '../faults/aws-call.ts';
import type { Forward, ReadPast } from '../faults/faulty-service.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { ItemHistory, StoredItem, View } from './item-history.ts';

/** Attributes in DynamoDB's JSON. */
type Attributes = Readonly<Record<string, unknown>>;

const schemas: readonly TableSchema[] = Object.values(tables);

/** Names of a table's key attributes; empty for an unknown table. */
function keyNames(table: string): readonly string[] {
  const schema = schemas.find(({ suffix }) => table.endsWith(`-${suffix}`));
  if (schema === undefined) return [];
  return [schema.partitionKey, ...(schema.sortKey === undefined ? [] : [schema.sortKey])];
}

/** The key among an item's attributes. */
function keyOf(table: string, attributes: Attributes): Attributes {
  return Object.fromEntries(keyNames(table).map((name) => [name, attributes[name]]));
}

/** The beginning of an id: a table, and the known values of its key. */
function idPrefix(table: string, keyValues: readonly unknown[]): string {
  return [table, ...keyValues.map((value) => `${JSON.stringify(value)} `)].join(' ');
}

function idOf(table: string, attributes: Attributes): string {
  return idPrefix(table, Object.values(keyOf(table, attributes)));
}

/** In the order of the sort key, as in a Query. */
function inOrder(table: string, items: Iterable<Attributes>): readonly Attributes[] {
  const name = keyNames(table)[1] ?? '';
  const value = (item: Attributes): string => JSON.stringify(item[name]) ?? '';
  return [...items].sort((a, b) => (value(a) < value(b) ? -1 : 1));
}

interface ReplicaOptions {
  /** Shared by all replicas of the tables. */
  readonly history: ItemHistory;
  /** Reads the original items. */
  readonly dynamodb: Pick<AwsCaller, 'call'>;
  /** Undefined if there is only one region. */
  readonly region?: string | undefined;
  /** Delay of other regions' writes in milliseconds. */
  readonly lag?: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A call about one of our tables. */
interface TableCall {
  readonly table: string;
  readonly input: Attributes;
}

/** Changes a response to that of an earlier time. */
type Show = (
  call: TableCall,
  answer: HttpResponse,
  view: View,
  history: ItemHistory,
) => HttpResponse;

function parse(answer: HttpResponse): Record<string, unknown> {
  return JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
}

function withBody(answer: HttpResponse, body: object): HttpResponse {
  return { ...answer, body: Buffer.from(JSON.stringify(body)) };
}

/** The attributes that a read asks for. They are names at the top of the item, without a path. */
function project(item: Attributes, input: Attributes): Attributes {
  const { ProjectionExpression: expression, ExpressionAttributeNames: names = {} } = input;
  if (typeof expression !== 'string') return item;
  const asked = expression.split(',').map((name) => (names as Attributes)[name] ?? name);
  return Object.fromEntries(Object.entries(item).filter(([name]) => asked.includes(name)));
}

const showItem: Show = ({ table, input }, answer, view, history) => {
  const { Item, ...rest } = parse(answer);
  const id = idOf(table, input['Key'] as Attributes);
  const seen = history.seen(id, view, Item as StoredItem);
  return withBody(answer, seen === undefined ? rest : { ...rest, Item: project(seen, input) });
};

/**
 * For a partition or a table: written items are replaced by earlier versions, and deleted ones are
 * added.
 */
const showItems: Show = ({ table, input }, answer, view, history) => {
  const body = parse(answer);
  const items = (body['Items'] ?? []) as readonly Attributes[];
  const byId = new Map(items.map((item) => [idOf(table, item), item]));
  const partition = Object.values((input['ExpressionAttributeValues'] ?? {}) as Attributes);
  for (const id of history.idsFrom(idPrefix(table, partition))) {
    const seen = history.seen(id, view, byId.get(id));
    if (seen === undefined) byId.delete(id);
    else byId.set(id, seen);
  }
  const seen = inOrder(table, byId.values());
  return withBody(answer, { ...body, Items: seen, Count: seen.length });
};

/** Of an index, the keys of items that the view does not have yet are missing. */
const showIndex: Show = ({ table }, answer, view, history) => {
  const body = parse(answer);
  const items = (body['Items'] ?? []) as readonly Attributes[];
  const seen = items.filter((item) => history.seen(idOf(table, item), view, item) !== undefined);
  return withBody(answer, { ...body, Items: seen, Count: seen.length });
};

const shows: ReadonlyMap<string, Show> = new Map([
  ['GetItem', showItem],
  ['Query', showItems],
  ['Scan', showItems],
]);

/** Any region works, because the items are stored once. */
const readRegion = 'us-west-2';

async function readItem(
  dynamodb: ReplicaOptions['dynamodb'],
  table: string,
  key: Attributes,
): Promise<StoredItem> {
  const input = { TableName: table, Key: key, ConsistentRead: true };
  const answer = await dynamodb.call({
    region: readRegion,
    target: 'DynamoDB_20120810.GetItem',
    body: Buffer.from(JSON.stringify(input)),
  });
  if (answer.status === 200) return (parse(answer) as { Item?: Attributes }).Item;
  throw new Error(`could not read what an item was: ${answer.body.toString()}`);
}

async function write(
  { table, input }: TableCall,
  forward: Forward,
  { history, dynamodb, region, clock }: ReplicaOptions,
): Promise<HttpResponse> {
  const key = keyOf(table, (input['Key'] ?? input['Item'] ?? {}) as Attributes);
  const id = idOf(table, key);
  return history.alone(id, async () => {
    const before = await readItem(dynamodb, table, key);
    const answer = await forward();
    if (answer.status === 200) history.add(id, { at: clock(), region, before });
    return answer;
  });
}

function isOurs(call: AwsCall): call is AwsCall & { readonly table: string } {
  return call.table !== undefined && keyNames(call.table).length > 0;
}

/**
 * One region's replica of the tables. Its eventually consistent reads see the past; all other calls
 * see the present items. The items are stored once, which gives strong consistency: one order of
 * all writes, and conditions that are checked in this order.
 */
export function createReplica(options: ReplicaOptions): ReadPast {
  const { history, region, lag = 0, clock } = options;
  return async (call, forward, faultyHorizon) => {
    if (!isOurs(call)) return forward();
    if (isWrite(call)) return write(call, forward, options);
    const present = call.input['IndexName'] === undefined ? shows.get(call.operation) : showIndex;
    const show = isStrong(call) ? undefined : present;
    const horizon = Math.min(faultyHorizon ?? Number.POSITIVE_INFINITY, clock() - lag);
    const answer = await forward();
    if (show === undefined || answer.status !== 200) return answer;
    return show(call, answer, { horizon, region }, history);
  };
}
