import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { type AwsClientOptions, createSdkClient } from '../../aws-client-options.ts';
import { recordServerDates } from '../../record-server-dates.ts';
import { readNumber } from '../items/item.ts';
import type { OpenDynamoDb } from './dynamodb-calls.ts';
import { openRegions } from './table-regions.ts';

/**
 * A client with bounded time and retries, whose items are plain objects. Undefined attributes are
 * omitted. Create one per process: it keeps its connections.
 */
export function createDynamoDbClient(options: AwsClientOptions = {}): DynamoDBDocument {
  const client = createSdkClient(
    (settings) => new DynamoDBClient(settings),
    options,
    options.endpointDynamoDb,
  );
  const documents = DynamoDBDocument.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    // Without it, a whole page of a list fails when JavaScript cannot represent one of its numbers.
    unmarshallOptions: { wrapNumbers: readNumber },
  });
  // Its own `destroy` does nothing.
  documents.destroy = () => client.destroy();
  return documents;
}

/** The tables as the SDK finds region and credentials. */
export function openDynamoDb(aws: AwsClientOptions): OpenDynamoDb {
  return (record) => {
    const own = createDynamoDbClient(aws);
    recordServerDates(own, record);
    return openRegions(
      own,
      () => own.config.region(),
      (region) => createDynamoDbClient({ ...aws, region }),
    );
  };
}
