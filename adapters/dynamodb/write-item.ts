import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { ConflictError, UncertainConflictError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { callAws } from '../aws-errors.ts';
import type { Item } from './item.ts';
import { getItem } from './read-items.ts';

/** The condition of a write, in DynamoDB's terms. */
export interface WriteCondition {
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

export interface ConditionalWrite {
  /** What is done, for the error: `create client "client_x"`. */
  readonly doing: string;
  /** What a failed condition means: `the client exists`. */
  readonly conflict: string;
  readonly send: () => Promise<unknown>;
  /** Whether the table already holds what this write was to bring about. */
  readonly wasDone: () => Promise<boolean>;
}

/**
 * Makes a conditional write. When an answer is lost the SDK sends the write again, and then its
 * own first attempt fails the condition: so a refusal after more than one attempt is looked into.
 *
 * @throws {ConflictError} if the condition does not hold; {@link UncertainConflictError} if
 *   an earlier attempt may have made it so.
 * @throws {UnavailableError} if DynamoDB does not answer in time: the write may have been made.
 */
export async function writeConditionally(write: ConditionalWrite): Promise<void> {
  try {
    await callAws(write.doing, write.send);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const isRepeated = (error.$metadata.attempts ?? 1) > 1;
    if (isRepeated && (await write.wasDone())) return;
    const Conflict = isRepeated ? UncertainConflictError : ConflictError;
    throw new Conflict(`could not ${write.doing}: ${write.conflict}`, { cause: error });
  }
}

/** A write to one item: which, and what must hold for it. */
interface ItemWrite extends Omit<ConditionalWrite, 'send' | 'wasDone'> {
  readonly table: string;
  readonly key: Record<string, string>;
  readonly condition: WriteCondition;
}

function readBack(dynamodb: DynamoDBDocument, write: ItemWrite): Promise<Item | undefined> {
  const { table, key } = write;
  return getItem(dynamodb, { table, key, consistentRead: true });
}

/** Puts a whole item if the condition holds. Errors as {@link writeConditionally}. */
export function putItem(
  dynamodb: DynamoDBDocument,
  item: Item,
  write: ItemWrite,
  options: PortOptions = {},
): Promise<void> {
  const input = { TableName: write.table, Item: item, ...write.condition };
  return writeConditionally({
    ...write,
    send: () => dynamodb.put(input, { abortSignal: options.signal }),
    wasDone: async () => isDeepStrictEqual(await readBack(dynamodb, write), item),
  });
}

/** Deletes an item if the condition holds. Errors as {@link writeConditionally}. */
export function deleteItem(
  dynamodb: DynamoDBDocument,
  write: ItemWrite,
  options: PortOptions = {},
): Promise<void> {
  const input = { TableName: write.table, Key: write.key, ...write.condition };
  return writeConditionally({
    ...write,
    send: () => dynamodb.delete(input, { abortSignal: options.signal }),
    wasDone: async () => (await readBack(dynamodb, write)) === undefined,
  });
}
