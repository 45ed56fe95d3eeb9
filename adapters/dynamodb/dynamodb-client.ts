import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AwsClientOptions, clientConfiguration } from '../aws-client-options.ts';

/** A client with bounded time and retries. One a process: it keeps its connections. */
export function createDynamoDbClient(options: AwsClientOptions = {}): DynamoDBClient {
  const { endpointDynamoDb: endpoint } = options;
  return new DynamoDBClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
}
