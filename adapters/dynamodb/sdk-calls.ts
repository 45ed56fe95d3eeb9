import {
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDbCalls } from './dynamodb-calls.ts';

/** The SDK's client as {@link DynamoDbCalls}. */
export function createSdkCalls(dynamodb: DynamoDBClient): DynamoDbCalls {
  return {
    getItem: (input, { signal }) =>
      dynamodb.send(new GetItemCommand(input), { abortSignal: signal }),
    query: (input, { signal }) => dynamodb.send(new QueryCommand(input), { abortSignal: signal }),
    updateItem: (input, { signal }) =>
      dynamodb.send(new UpdateItemCommand(input), { abortSignal: signal }),
  };
}
