import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { maxSockets } from '../../aws-client-options.ts';
import { type AwsJsonClient, createAwsJsonClient } from '../../aws-json/aws-json-client.ts';
import { type Connection, createConnection } from '../../aws-json/connection.ts';
import type { Environment } from '../../aws-json/endpoint.ts';
import { type CallProfileName, callProfiles } from '../../call-profile.ts';
import { recordServerDate } from '../../record-server-dates.ts';
import { type Item, readNumber } from '../items/item.ts';
import type {
  CallOptions,
  DynamoDbDocuments,
  OpenDynamoDb,
  RecordServerDate,
} from './dynamodb-calls.ts';
import { openRegions } from './table-regions.ts';

type AttributeValues = Parameters<typeof unmarshall>[0];

/** Members of inputs and outputs that hold attributes; `Items` are several. */
const attributes = [
  'Key',
  'Item',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
  'ExpressionAttributeValues',
];

const marshallItem = (item: unknown) => marshall(item as Item, { removeUndefinedValues: true });
const unmarshallItem = (values: unknown): Item =>
  unmarshall(values as AttributeValues, { wrapNumbers: readNumber });

/** Converts the members that hold attributes, one way or the other. */
function convert(message: object, one: (value: unknown) => unknown): Record<string, unknown> {
  const converted: Record<string, unknown> = { ...message };
  for (const name of attributes) {
    if (converted[name] !== undefined) converted[name] = one(converted[name]);
  }
  const { Items } = converted;
  return Array.isArray(Items) ? { ...converted, Items: Items.map(one) } : converted;
}

interface KeyList {
  readonly Keys?: readonly object[] | undefined;
}

function convertKeys<Key>(
  tables: Readonly<Record<string, KeyList>> | undefined,
  one: (value: unknown) => Key,
) {
  return Object.fromEntries(
    Object.entries(tables ?? {}).map(([table, { Keys, ...rest }]) => [
      table,
      { ...rest, Keys: Keys?.map(one) },
    ]),
  );
}

interface BatchOutput {
  readonly Responses?: Readonly<Record<string, readonly unknown[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, KeyList>>;
}

/** The tables, and whether they exist. */
export interface JsonTables extends DynamoDbDocuments {
  /** Rejects if there is no such table. */
  readonly describeTable: (input: { readonly TableName: string }) => Promise<unknown>;
}

/**
 * The AWS JSON client with the interface of the SDK's document client. `createJsonCalls` is for the
 * token path: it writes only texts, in less time and code.
 */
function createJsonDocuments(client: AwsJsonClient): JsonTables {
  const bind =
    (operation: string) =>
    async (input: object, { abortSignal: signal }: CallOptions = {}): Promise<object> => {
      const output = await client.call(operation, convert(input, marshallItem), { signal });
      return convert(output as object, unmarshallItem);
    };
  const batchGetItem = bind('BatchGetItem');
  return {
    get: bind('GetItem'),
    query: bind('Query'),
    scan: bind('Scan'),
    put: bind('PutItem'),
    update: bind('UpdateItem'),
    delete: bind('DeleteItem'),
    describeTable: bind('DescribeTable'),
    batchGet: async ({ RequestItems, ...rest }, options) => {
      const request = { ...rest, RequestItems: convertKeys(RequestItems, marshallItem) };
      const output: BatchOutput = await batchGetItem(request, options);
      const found = Object.entries(output.Responses ?? {});
      return {
        Responses: Object.fromEntries(
          found.map(([table, items]) => [table, items.map(unmarshallItem)]),
        ),
        UnprocessedKeys: convertKeys(output.UnprocessedKeys, unmarshallItem),
      };
    },
  };
}

function recordDates(connection: Connection, record: RecordServerDate): Connection {
  const post: Connection['post'] = (...request) =>
    recordServerDate(
      () => connection.post(...request),
      ({ headers }) => headers.date ?? '',
      record,
    );
  return { ...connection, post };
}

/**
 * The tables as a function reaches them.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function openJsonDynamoDb(
  environment: Environment,
  profile: CallProfileName,
): OpenDynamoDb<JsonTables> {
  const open = (variables: Environment, connect?: typeof createConnection) =>
    createJsonDocuments(
      createAwsJsonClient({
        service: 'dynamodb',
        environment: variables,
        profile: callProfiles[profile],
        maxSockets,
        connect,
      }),
    );
  return (record) =>
    openRegions(
      open(environment, (...target) => recordDates(createConnection(...target), record)),
      async () => environment['AWS_REGION'],
      (awsRegion) => open({ ...environment, AWS_REGION: awsRegion }),
    );
}
