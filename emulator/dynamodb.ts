import type { AccessKey } from './aws-server/access-key.ts';
import { createAwsServer } from './aws-server/aws-server.ts';
import { ItemStore } from './item-store.ts';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';
import { answersUnavailable, type OnStorage, StorageWatch } from './storage.ts';

export interface DynamoDbOptions {
  /** Only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** The folder of the items. Left out: in memory only. */
  readonly directory?: string;
  /** Left out: a free one. */
  readonly port?: PortChoice;
  readonly onStorage?: OnStorage | undefined;
}

export interface RunningDynamoDb {
  readonly port: number;
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** DynamoDB's quota. */
const maxRequestBytes = 16 * 1024 * 1024;

/** Starts a server that speaks DynamoDB's protocol on loopback. */
export async function startDynamoDb(options: DynamoDbOptions): Promise<RunningDynamoDb> {
  const { accessKey, directory, onStorage } = options;
  const storage =
    directory === undefined
      ? undefined
      : new StorageWatch('DynamoDB', directory, answersUnavailable, onStorage);
  const items = new ItemStore(directory, storage);
  const server = createAwsServer({
    service: 'dynamodb',
    accessKey,
    maxRequestBytes,
    answer: (request, response) => items.answer(request, response),
  });
  const port = await listenOnLoopback(server, options.port ?? { port: 0 }, 'DynamoDB server');
  return {
    port,
    endpoint: `http://${loopbackHost}:${port}`,
    close: async () => {
      await closeServer(server);
      await items.close();
    },
  };
}
