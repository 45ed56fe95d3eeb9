import { BoundedMap, remember } from '../../../core/bounded-map.ts';
import { type AwsJsonClient, readOutput } from '../../aws-json/aws-json-client.ts';
import { readNumber } from '../items/item.ts';
import type { BatchedGet, CallOptions, DynamoDbCalls } from './dynamodb-calls.ts';

/** A value with its type, as DynamoDB's JSON has it. */
interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly L?: readonly AttributeValue[];
  readonly M?: AttributeValues;
}

type AttributeValues = Readonly<Record<string, AttributeValue>>;

function readValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return readNumber(value.N);
  if (value.M !== undefined) return readValues(value.M);
  if (value.L !== undefined) return value.L.map(readValue);
  // No item has null, bytes or a set. They become NaN, which no schema accepts.
  return value.BOOL ?? Number.NaN;
}

function readValues(values: AttributeValues): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name in values) item[name] = readValue(values[name] as AttributeValue);
  return item;
}

/** Keys, and the values in conditions of these calls, are text. */
function toValues(texts: Readonly<Record<string, unknown>>): AttributeValues {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { S: String(text) }]),
  );
}

interface Input {
  readonly Key?: Record<string, unknown> | undefined;
  readonly ExpressionAttributeValues?: Record<string, unknown> | undefined;
  readonly ExclusiveStartKey?: Record<string, unknown> | undefined;
}

interface Output {
  readonly Item?: AttributeValues;
  readonly Items?: readonly AttributeValues[];
  readonly LastEvaluatedKey?: AttributeValues;
}

interface BatchOutput {
  readonly Responses?: Readonly<Record<string, readonly AttributeValues[]>>;
  readonly UnprocessedKeys?: Readonly<
    Record<string, { readonly Keys: readonly AttributeValues[] }>
  >;
}

function readResponse(body: string) {
  const output = readOutput(body) as Output;
  return {
    Item: output.Item && readValues(output.Item),
    Items: output.Items?.map(readValues),
    LastEvaluatedKey: output.LastEvaluatedKey && readValues(output.LastEvaluatedKey),
  };
}

/** Characters. A client with 20 secrets is shorter. */
const maxRememberedLength = 8192;

/**
 * Reads a text again only if it is not among the last ones, so that an item that did not change is
 * the same object, of which stores remember the record ({@link memoize}). It is still requested from
 * DynamoDB each time. Only the parsing is saved: for a client with many secrets, it costs more CPU
 * time than the rest of a token request.
 */
function rememberRead<T extends object>(
  read: (text: string) => T,
  maxTexts: number,
): (text: string) => T {
  const known = new BoundedMap<string, T>(maxTexts);
  return (text) => (text.length > maxRememberedLength ? read(text) : remember(known, text, read));
}

/** BatchGetItem of one table. Functions that serve one request at a time have no use for it. */
export function createBatchGet(client: AwsJsonClient): BatchedGet['batchGet'] {
  // 10,000 clients without their secrets are 10 MB.
  const readItem = rememberRead((text) => readValues(JSON.parse(text) as AttributeValues), 10_000);
  return async ({ TableName: table = '', Keys, ...rest }, { abortSignal: signal }) => {
    const request = { RequestItems: { [table]: { ...rest, Keys: Keys.map(toValues) } } };
    const output = (await client.call('BatchGetItem', request, { signal })) as BatchOutput;
    // The request has one table, so all that is answered is of it, by its name or by its ARN.
    const unread = Object.values(output.UnprocessedKeys ?? {}).flatMap(({ Keys: keys }) => keys);
    const items = Object.values(output.Responses ?? {}).flat();
    return {
      Items: items.map((item) => readItem(JSON.stringify(item))),
      UnprocessedKeys: unread.map(readValues),
    };
  };
}

/** Of GetItem. 1,000 clients of a usual size are 6 MB, with what was read of them. */
export function rememberItems(): typeof readResponse {
  return rememberRead(readResponse, 1000);
}

/**
 * The AWS JSON client as {@link DynamoDbCalls}.
 *
 * @param readItem {@link rememberItems} where the same items are read again and again.
 */
export function createJsonCalls(client: AwsJsonClient, readItem = readResponse): DynamoDbCalls {
  const call = async (
    operation: string,
    input: Input,
    { abortSignal: signal }: CallOptions,
    read = readResponse,
  ) => {
    const { Key, ExpressionAttributeValues: values, ExclusiveStartKey: start } = input;
    const request = {
      ...input,
      Key: Key && toValues(Key),
      ExpressionAttributeValues: values && toValues(values),
      ExclusiveStartKey: start && toValues(start),
    };
    return (await client.call(operation, request, { signal, read })) as ReturnType<typeof read>;
  };
  return {
    get: (input, options) => call('GetItem', input, options, readItem),
    query: (input, options) => call('Query', input, options),
    update: (input, options) => call('UpdateItem', input, options),
  };
}
