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
