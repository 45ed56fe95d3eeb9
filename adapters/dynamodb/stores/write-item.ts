import { isDeepStrictEqual } from 'node:util';
import { ConflictError, UncertainConflictError } from '../../../core/errors.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { findItem } from './read-items.ts';

/** The condition of a write, in DynamoDB's terms. */
interface WriteCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, string | number>;
}

/** The item must not exist. */
export function absent(partitionKey: string): WriteCondition {
  return {
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': partitionKey },
  };
}

/** The item must exist with this value. */
export function having(attribute: string, value: string | number): WriteCondition {
  return {
    ConditionExpression: '#attribute = :value',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': value },
  };
}

/** The version before this one must be stored, or no item if this is the first. */
export function following(partitionKey: string, version: number): WriteCondition {
  return version === 1 ? absent(partitionKey) : having('version', version - 1);
}

interface ConditionalWrite {
  /** The operation, for the error: `create client "client_x"`. */
  readonly doing: string;
  /** What a failed condition means: `the client exists`. */
  readonly conflict: string;
  readonly send: () => Promise<unknown>;
  /** Whether the table already has the intended state. */
  readonly wasDone: () => Promise<boolean>;
}

/** DynamoDB's error, of either client. */
interface ConditionFailure extends Error {
  readonly $metadata: { readonly attempts?: number | undefined };
}

function isConditionFailure(error: unknown): error is ConditionFailure {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}

/**
 * Makes a conditional write. When a response is lost, the SDK sends the write again, and its own
 * first attempt makes the condition fail. So when the condition fails after more than one attempt,
 * the item is read to decide.
 *
 * @throws {ConflictError} if the condition fails; {@link UncertainConflictError} if an earlier
 * attempt may be the reason.
 * @throws {UnavailableError} if DynamoDB does not answer in time: the write may have been made.
 */
export async function writeConditionally(write: ConditionalWrite): Promise<void> {
  try {
    await callAws('DynamoDB', write.doing, write.send);
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    const isRepeated = (error.$metadata.attempts ?? 1) > 1;
    if (isRepeated && (await write.wasDone())) return;
    const Conflict = isRepeated ? UncertainConflictError : ConflictError;
    throw new Conflict(`could not ${write.doing}: ${write.conflict}`, { cause: error });
  }
}

/** A write to one item with its condition. */
interface ItemWrite extends Omit<ConditionalWrite, 'send' | 'wasDone'> {
  readonly table: string;
  readonly key: Record<string, string>;
  readonly condition: WriteCondition;
}

/** Makes a write after which this is stored. Throws the errors of {@link writeConditionally}. */
function writeItem(
  dynamodb: DynamoDbDocuments,
  item: Item | undefined,
  write: ItemWrite & Pick<ConditionalWrite, 'send'>,
): Promise<void> {
  const { table, key } = write;
  const wasDone = async () =>
    isDeepStrictEqual(await findItem(dynamodb, { table, key, consistentRead: true }), item);
  return writeConditionally({ ...write, wasDone });
}

/** Puts a whole item if the condition is met. Errors as {@link writeConditionally}. */
export function putItem(dynamodb: DynamoDbDocuments, item: Item, write: ItemWrite): Promise<void> {
  const input = { TableName: write.table, Item: item, ...write.condition };
  return writeItem(dynamodb, item, { ...write, send: () => dynamodb.put(input) });
}

/**
 * Changes some attributes of an item to those of another if the condition holds: one that the other
 * lacks is removed. Errors as {@link writeConditionally}.
 */
export function updateItem(
  dynamodb: DynamoDbDocuments,
  item: Item,
  write: ItemWrite & { readonly attributes: readonly string[] },
): Promise<void> {
  const changes = write.attributes.map((name) => [[name], item[name]] as const);
  const input = toUpdateInput(write, toUpdateExpression(changes));
  return writeItem(dynamodb, item, { ...write, send: () => dynamodb.update(input) });
}

/** An update with its condition. */
export function toUpdateInput(
  { table, key, condition }: Pick<ItemWrite, 'table' | 'key' | 'condition'>,
  update: UpdateExpression,
) {
  return {
    TableName: table,
    Key: key,
    ...condition,
    ...update,
    ExpressionAttributeNames: {
      ...update.ExpressionAttributeNames,
      ...condition.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...condition.ExpressionAttributeValues,
    },
  };
}

/** Deletes an item if the condition is met. Errors as {@link writeConditionally}. */
export function deleteItem(dynamodb: DynamoDbDocuments, write: ItemWrite): Promise<void> {
  const input = { TableName: write.table, Key: write.key, ...write.condition };
  return writeItem(dynamodb, undefined, { ...write, send: () => dynamodb.delete(input) });
}

/** What a failed change or deletion of a version means. */
export const changedMeanwhile = 'it was changed or deleted meanwhile';

/** An update of single attributes, in DynamoDB's terms. */
export interface UpdateExpression {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

/** The path of an attribute and its new value. Undefined removes the attribute. */
export type AttributeChange = readonly [path: readonly string[], value: unknown];

/**
 * Placeholders are short because DynamoDB limits an expression to 4 KB. A client whose secrets all
 * changed must fit.
 */
export function toUpdateExpression(changes: readonly AttributeChange[]): UpdateExpression {
  const names = [...new Set(changes.flatMap(([path]) => path))];
  const placeOf = (path: readonly string[]): string =>
    path.map((name) => `#${names.indexOf(name).toString(36)}`).join('.');
  const removes = changes.filter(([, value]) => value === undefined).map(([path]) => placeOf(path));
  const sets: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [path, value] of changes) {
    if (value === undefined) continue;
    const token = `:${sets.length.toString(36)}`;
    values[token] = value;
    sets.push(`${placeOf(path)}=${token}`);
  }
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join()}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join()}`] : []),
  ];
  return {
    UpdateExpression: clauses.join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [placeOf([name]), name])),
    ExpressionAttributeValues: values,
  };
}
