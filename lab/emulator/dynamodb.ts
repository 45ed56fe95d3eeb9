import {
  type RunningService,
  type ServiceOptions,
  startAwsServer,
} from './aws-server/aws-server.ts';
import { createDynamoDbLocal, type ItemBackend } from './dynamodb-local.ts';
import { ItemStore } from './item-store.ts';
import { answersUnavailable, type OnStorage, StorageWatch } from './storage.ts';
import type { IndexTiming } from './table-indexes.ts';

interface DynamoDbOptions extends ServiceOptions {
  /** The folder of the items. By default they are only in memory. */
  readonly directory?: string;
  readonly onStorage?: OnStorage | undefined;
  readonly indexTiming?: IndexTiming | undefined;
}

/** DynamoDB's quota. */
const maxRequestBytes = 16 * 1024 * 1024;

/** dynalite or, if `DYNAMODB_LOCAL_ENDPOINT` is set, DynamoDB Local, whose items are in memory. */
function createBackend({ directory, onStorage, indexTiming }: DynamoDbOptions): ItemBackend {
  const { DYNAMODB_LOCAL_ENDPOINT: dynamodbLocal = '' } = process.env;
  if (dynamodbLocal !== '') return createDynamoDbLocal(dynamodbLocal);
  const storage =
    directory === undefined
      ? undefined
      : new StorageWatch('DynamoDB', directory, answersUnavailable, onStorage);
  return new ItemStore(directory, storage, indexTiming);
}

/** Starts a server with DynamoDB's protocol on loopback. */
export async function startDynamoDb(options: DynamoDbOptions): Promise<RunningService> {
  const items = createBackend(options);
  const server = await startAwsServer('DynamoDB server', {
    ...options,
    service: 'dynamodb',
    maxRequestBytes,
    answer: async (request, response) => {
      await options.accessControl?.authorize('dynamodb', request);
      await items.answer(request, response);
    },
  });
  return {
    ...server,
    close: async () => {
      await server.close();
      await items.close();
    },
  };
}
