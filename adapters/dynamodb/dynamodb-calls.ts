import type {
  GetItemCommandInput,
  QueryCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { PortOptions } from '../../core/port.ts';
import type { Item } from './item.ts';

/** One page of items and the key from which the next goes on. */
export interface Page {
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

/**
 * The calls that functions make while somebody waits. Stores for those paths are written against
 * this, so that the SDK's client and the signed one of aws-json/ can both serve. Inputs, outputs
 * and the names of errors are those of DynamoDB's API.
 */
export interface DynamoDbCalls {
  getItem(
    input: GetItemCommandInput,
    options: PortOptions,
  ): Promise<{ readonly Item?: Item | undefined }>;
  query(input: QueryCommandInput, options: PortOptions): Promise<Page>;
  updateItem(input: UpdateItemCommandInput, options: PortOptions): Promise<unknown>;
}
