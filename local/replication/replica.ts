import { type TableSchema, tables } from '../../contract/tables.ts';
import { type AwsCall, isStrong, isWrite } from '../faults/aws-call.ts';
import type { ReadPast, ServiceAnswer } from '../faults/faulty-service.ts';
import type { ItemHistory, StoredItem, View } from './item-history.ts';

type Attributes = Readonly<Record<string, unknown>>;

export interface ReplicaOptions {
  /** Shared by all replicas of the tables. */
  readonly history: ItemHistory;
  /** Where the items are. */
  readonly endpoint: string;
  /** Left out where there is one region alone. */
  readonly region?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const schemas: readonly TableSchema[] = Object.values(tables);

function keyNames(table: string): readonly string[] {
  const schema = schemas.find(({ suffix }) => table.endsWith(`-${suffix}`));
  if (schema === undefined) return [];
  return [schema.partitionKey, ...(schema.sortKey === undefined ? [] : [schema.sortKey])];
}

function keyOf(table: string, attributes: Attributes): Attributes {
  return Object.fromEntries(keyNames(table).map((name) => [name, attributes[name]]));
}

function idOf(table: string, attributes: Attributes): string {
  return [table, ...Object.values(keyOf(table, attributes)).map((v) => JSON.stringify(v))].join(
    ' ',
  );
}

function parse(answer: ServiceAnswer): Record<string, unknown> {
  return JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
}

function withBody(answer: ServiceAnswer, body: object): ServiceAnswer {
  return { ...answer, body: Buffer.from(JSON.stringify(body)) };
}

/** The values by which two items of a partition are in order. */
function sortValue(table: string, item: Attributes): string {
  return JSON.stringify(item[keyNames(table)[1] ?? '']) ?? '';
}

/**
 * One region's replica of the tables: its eventually consistent reads see the past, everything
 * else the items as they are. The items themselves are kept once, which is what strong
 * consistency comes to: one order of all writes, and conditions that hold in it.
 */
export function createReplica({ history, endpoint, region, now }: ReplicaOptions): ReadPast {
  async function readNow(table: string, key: Attributes): Promise<StoredItem> {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.GetItem',
        'x-amz-date': new Date().toISOString(),
        authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify({ TableName: table, Key: key, ConsistentRead: true }),
    });
    if (!response.ok) throw new Error(`the item's past: ${response.status}`);
    return ((await response.json()) as { Item?: Attributes }).Item;
  }

  async function write(call: AwsCall, table: string, forward: () => Promise<ServiceAnswer>) {
    const key = keyOf(table, (call.input['Key'] ?? call.input['Item'] ?? {}) as Attributes);
    const id = idOf(table, key);
    return history.alone(id, async () => {
      const before = await readNow(table, key);
      const answer = await forward();
      if (answer.status === 200) history.add(id, { at: now(), region, before });
      return answer;
    });
  }

  function seenItem(call: AwsCall, table: string, answer: ServiceAnswer, view: View) {
    const { Item, ...rest } = parse(answer);
    const id = idOf(table, call.input['Key'] as Attributes);
    const seen = history.seen(id, view, Item as StoredItem);
    return withBody(answer, seen === undefined ? rest : { ...rest, Item: seen });
  }

  /** A partition or a table as it was: written items are replaced, deleted ones come back. */
  function seenItems(call: AwsCall, table: string, answer: ServiceAnswer, view: View) {
    const body = parse(answer);
    const items = (body['Items'] ?? []) as readonly Attributes[];
    const byId = new Map(items.map((item) => [idOf(table, item), item]));
    const wanted = Object.values((call.input['ExpressionAttributeValues'] ?? {}) as Attributes);
    const prefix = [table, ...wanted.map((value) => JSON.stringify(value))].join(' ');
    for (const id of history.idsFrom(`${prefix} `)) {
      const seen = history.seen(id, view, byId.get(id));
      if (seen === undefined) byId.delete(id);
      else byId.set(id, seen);
    }
    const seen = [...byId.values()].sort((a, b) =>
      sortValue(table, a) < sortValue(table, b) ? -1 : 1,
    );
    return withBody(answer, { ...body, Items: seen, Count: seen.length });
  }

  return async (call, forward, horizon) => {
    const { table } = call;
    if (table === undefined || keyNames(table).length === 0) return forward();
    if (isWrite(call)) return write(call, table, forward);
    const answer = await forward();
    if (horizon === undefined || isStrong(call) || answer.status !== 200) return answer;
    const view = { horizon, region };
    if (call.operation === 'GetItem') return seenItem(call, table, answer, view);
    if (call.operation === 'Query' || call.operation === 'Scan') {
      return seenItems(call, table, answer, view);
    }
    return answer;
  };
}
