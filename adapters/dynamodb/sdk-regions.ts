import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { remember } from '../../core/bounded-map.ts';
import type { AwsClientOptions } from '../aws-client-options.ts';
import { recordServerDates } from '../record-server-dates.ts';
import type { OpenDynamoDb } from './dynamodb-calls.ts';
import { createDynamoDbClient } from './dynamodb-client.ts';

/** The tables as the SDK finds region and credentials. */
export function openDynamoDb(aws: AwsClientOptions): OpenDynamoDb {
  return (record) => {
    const own = createDynamoDbClient(aws);
    recordServerDates({ dynamodb: own }, record, () => performance.now());
    const others = new Map<string, DynamoDBDocument>();
    return {
      own,
      inRegion: async (region) =>
        (await own.config.region()) === region
          ? own
          : remember(others, region, () => createDynamoDbClient({ ...aws, region })),
    };
  };
}
