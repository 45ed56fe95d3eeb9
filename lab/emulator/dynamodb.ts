import type { AccessKey } from './aws-server/access-key.ts';
import { createAwsServer, type VerifiedRequest } from './aws-server/aws-server.ts';
import { createDynamoDbLocal, type ItemBackend } from './dynamodb-local.ts';
import type { AccessControl } from './iam/access-control.ts';
import { dynamodbCalls } from './iam/dynamodb-calls.ts';
import { ItemStore } from './item-store.ts';
import { localAccountId } from './kms/kms-key.ts';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';
import { answersUnavailable, type OnStorage, StorageWatch } from './storage.ts';

export interface DynamoDbOptions {
  /** Only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** Decides which calls are allowed. By default, every signed call is. */
  readonly accessControl?: AccessControl | undefined;
  /** The folder of the items. By default they are only in memory. */
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

async function authorize(request: VerifiedRequest, accessControl?: AccessControl): Promise<void> {
  if (accessControl === undefined) return;
  const { partitionKey } = accessControl;
  const calls = dynamodbCalls(request, { account: localAccountId, partitionKey });
  await accessControl.authorize(request.accessKeyId, calls);
}

/** dynalite or, if `DYNAMODB_LOCAL_ENDPOINT` is set, DynamoDB Local, whose items are in memory. */
function createBackend({ directory, onStorage }: DynamoDbOptions): ItemBackend {
  const { DYNAMODB_LOCAL_ENDPOINT: dynamodbLocal = '' } = process.env;
  if (dynamodbLocal !== '') return createDynamoDbLocal(dynamodbLocal);
  const storage =
    directory === undefined
      ? undefined
      : new StorageWatch('DynamoDB', directory, answersUnavailable, onStorage);
  return new ItemStore(directory, storage);
}

/** Starts a server with DynamoDB's protocol on loopback. */
export async function startDynamoDb(options: DynamoDbOptions): Promise<RunningDynamoDb> {
  const { accessKey, accessControl } = options;
  const items = createBackend(options);
  const server = createAwsServer({
    service: 'dynamodb',
    accessKey,
    accessControl,
    maxRequestBytes,
    answer: async (request, response) => {
      await authorize(request, accessControl);
      await items.answer(request, response);
    },
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
