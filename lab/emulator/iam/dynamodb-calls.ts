import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import { parseJsonObject } from '../request-body.ts';
import type { ResourceCall } from './authorizer.ts';
import type { RequestContext } from './evaluate-request.ts';

/** Words of DynamoDB's expressions that are no attribute. */
const keywords = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN']);

/**
 * A path of attributes, e.g. `secrets[0].hash` or `#name.x`. A value (`:x`) is no path, and neither
 * is a function, which a bracket follows.
 */
const path = /(?<![\w:#.\]])(#?[A-Za-z_][\w-]*)((?:\.[#\w-]+|\[\d+\])*)(?!\s*\(|[\w-])/g;

/** Names of the attributes at the top of the item that expressions use. */
function expressionAttributes(
  expressions: readonly string[],
  names: Readonly<Record<string, string>>,
): readonly string[] {
  const found = expressions.flatMap((expression) =>
    [...expression.matchAll(path)].map(([, name = '']) => name),
  );
  return found
    .filter((name) => !keywords.has(name.toUpperCase()))
    .map((name) => (name.startsWith('#') ? (names[name] ?? name) : name));
}

/** A value as DynamoDB writes it, e.g. `{"S": "x"}`. */
type AttributeValue = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, AttributeValue>>;

/** What the condition keys of an operation are read from. */
interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly ReturnValues?: string;
  readonly Select?: string;
  readonly ProjectionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly [member: string]: unknown;
}

interface DynamoDbScope {
  readonly account: string;
  /** Attribute of a table's partition key. */
  readonly partitionKey: (table: string) => string | undefined;
}

const expressionMembers = [
  'ConditionExpression',
  'FilterExpression',
  'KeyConditionExpression',
  'ProjectionExpression',
  'UpdateExpression',
];

const targetPattern = /^DynamoDB_20120810\.(\w+)$/;

function attributesOf(input: Input): readonly string[] {
  const expressions = expressionMembers
    .map((member) => input[member])
    .filter((value) => typeof value === 'string');
  const used = expressionAttributes(expressions, input.ExpressionAttributeNames ?? {});
  const named = [...Object.keys(input.Key ?? {}), ...Object.keys(input.Item ?? {}), ...used];
  return [...new Set(named)].toSorted();
}

function valueOf(value: AttributeValue | undefined): readonly string[] {
  return Object.values(value ?? {}).map(String);
}

/** The value that a condition on the key requires of the partition key, e.g. `#p = :p`. */
function queriedPartition(input: Input, partitionKey: string): readonly string[] {
  const { KeyConditionExpression = '', ExpressionAttributeNames: names = {} } = input;
  for (const [, name = '', value = ''] of KeyConditionExpression.matchAll(
    /(#?[\w-]+)\s*=\s*(:\w+)/g,
  )) {
    if ((names[name] ?? name) === partitionKey) {
      return valueOf(input.ExpressionAttributeValues?.[value]);
    }
  }
  return [];
}

function leadingKeys(input: Input, partitionKey: string | undefined): readonly string[] {
  if (partitionKey === undefined) return [];
  const item = input.Key ?? input.Item;
  return item === undefined ? queriedPartition(input, partitionKey) : valueOf(item[partitionKey]);
}

/** What a read returns, in the words of `Select`; undefined for a write. */
function selectOf(action: string, { Select, ProjectionExpression }: Input): string | undefined {
  if (Select !== undefined) return Select;
  if (ProjectionExpression !== undefined) return 'SPECIFIC_ATTRIBUTES';
  return action.endsWith('GetItem') ? 'ALL_ATTRIBUTES' : undefined;
}

function contextOf(action: string, input: Input, partitionKey: string | undefined): RequestContext {
  const keys = leadingKeys(input, partitionKey);
  const attributes = attributesOf(input);
  const select = selectOf(action, input);
  return {
    ...(keys.length > 0 && { 'dynamodb:LeadingKeys': keys }),
    ...(attributes.length > 0 && { 'dynamodb:Attributes': attributes }),
    ...(input.ReturnValues !== undefined && { 'dynamodb:ReturnValues': input.ReturnValues }),
    ...(select !== undefined && { 'dynamodb:Select': select }),
  };
}

/** What each operation of several items has for one table. */
function splitByTable(operation: string, input: Input): readonly Input[] {
  if (!operation.startsWith('Batch') || typeof input['RequestItems'] !== 'object') return [input];
  const byTable = Object.entries(input['RequestItems'] as Readonly<Record<string, unknown>>);
  return byTable.flatMap(([TableName, asked]) => {
    if (!Array.isArray(asked)) {
      const { Keys = [], ...rest } = asked as { readonly Keys?: readonly Item[] };
      return Keys.map((Key) => ({ ...rest, TableName, Key }));
    }
    return (asked as readonly Readonly<Record<string, object>>[]).map((write) => ({
      ...Object.values(write)[0],
      TableName,
    }));
  });
}

/**
 * What a request to DynamoDB does, with the condition keys that AWS documents for its actions. An
 * operation that names no table has no resource, e.g. ListTables. IAM has no action of the name of
 * a transaction, so one cannot be evaluated. A body that is not a JSON object makes no call:
 * DynamoDB refuses it.
 */
export function dynamodbCalls(
  { headers, body, region }: Pick<VerifiedRequest, 'headers' | 'body' | 'region'>,
  { account, partitionKey }: DynamoDbScope,
): readonly ResourceCall[] {
  const operation = targetPattern.exec(headers['x-amz-target']?.toString() ?? '')?.[1];
  const input: Input | undefined = parseJsonObject(body);
  if (operation === undefined || input === undefined) return [];
  const action = `dynamodb:${operation}`;
  const ofTables = splitByTable(operation, input).filter(
    ({ TableName }) => typeof TableName === 'string',
  );
  if (ofTables.length === 0) return [{ action, resource: '*', context: {} }];
  return ofTables.map((one) => {
    const name = String(one.TableName);
    const table = name.startsWith('arn:')
      ? name
      : `arn:aws:dynamodb:${region}:${account}:table/${name}`;
    const { IndexName } = one;
    const resource = IndexName === undefined ? table : `${table}/index/${IndexName}`;
    return { action, resource, context: contextOf(action, one, partitionKey(name)) };
  });
}
