import type { AwsClientOptions } from '../../aws-client-options.ts';
import { recordServerDates } from '../../record-server-dates.ts';
import type { OpenDynamoDb } from './dynamodb-calls.ts';
import { createDynamoDbClient } from './dynamodb-client.ts';
import { openRegions } from './table-regions.ts';

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
