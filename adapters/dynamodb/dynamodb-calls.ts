import type { GetCommandInput, QueryCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from './item.ts';

export interface CallOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** One page of items and the key after which the next one starts. */
export interface Page {
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
}

/**
 * The calls that functions make while a request waits. The SDK's document client and the AWS JSON
 * client implement them. Items are plain objects; the names of inputs, outputs and errors are those
 * of DynamoDB's API.
 */
export interface DynamoDbCalls {
  get(input: GetCommandInput, options: CallOptions): Promise<{ readonly Item?: Item | undefined }>;
  query(input: QueryCommandInput, options: CallOptions): Promise<Page>;
  update(input: UpdateCommandInput, options: CallOptions): Promise<unknown>;
}

/** Reads of several items of one table. Only the AWS JSON client has it. */
export interface BatchedGet {
  /**
   * @param input as of GetItem, with up to 100 different keys.
   * @returns the items that exist, in any order, and the keys that were not read.
   */
  batchGet(
    input: Omit<GetCommandInput, 'Key'> & { readonly Keys: readonly Record<string, unknown>[] },
    options: CallOptions,
  ): Promise<{ readonly Items: readonly Item[]; readonly UnprocessedKeys: readonly Item[] }>;
}
