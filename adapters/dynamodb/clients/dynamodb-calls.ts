import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from '../items/item.ts';

export interface CallOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** One page of items and the key after which the next one starts. */
export interface ItemPage {
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
  query(input: QueryCommandInput, options: CallOptions): Promise<ItemPage>;
  update(input: UpdateCommandInput, options: CallOptions): Promise<unknown>;
}

/** A page, and how many items were read for it. */
export interface CountedPage extends ItemPage {
  /** After the filter. */
  readonly Count?: number | undefined;
  /** Before the filter. */
  readonly ScannedCount?: number | undefined;
}

/** The calls of every store. The same clients implement them. */
export interface DynamoDbDocuments extends DynamoDbCalls {
  query(input: QueryCommandInput, options?: CallOptions): Promise<CountedPage>;
  scan(input: ScanCommandInput, options?: CallOptions): Promise<CountedPage>;
  batchGet(
    input: BatchGetCommandInput,
    options?: CallOptions,
  ): Promise<Pick<BatchGetCommandOutput, 'Responses' | 'UnprocessedKeys'>>;
  put(input: PutCommandInput, options?: CallOptions): Promise<unknown>;
  update(input: UpdateCommandInput, options?: CallOptions): Promise<unknown>;
  delete(input: DeleteCommandInput, options?: CallOptions): Promise<unknown>;
}

/** Receives the time on each response and its latency, both in milliseconds. */
export type RecordServerDate = (serverTime: number, latency: number) => void;

/** The tables of a deployment, in the process's own AWS region and in others. */
export interface DynamoDbRegions<T extends DynamoDbDocuments = DynamoDbDocuments> {
  readonly own: T;
  /** A client of another region is created when it is first needed. */
  readonly inRegion: (awsRegion: string) => Promise<T>;
}

/** @param record hears of the responses in the own region (RFC 9110 §6.6.1). */
export type OpenDynamoDb<T extends DynamoDbDocuments = DynamoDbDocuments> = (
  record: RecordServerDate,
) => DynamoDbRegions<T>;

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
