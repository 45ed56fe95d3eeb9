import type { AwsClientOptions } from '../adapters/aws-client-options.ts';
import { createDynamoDbClient } from '../adapters/dynamodb/dynamodb-client.ts';
import type { CleanUp } from './clean-up.ts';
import { startDynamoDb } from './dynamodb.ts';
import type { Faults } from './faults/faults.ts';
import { startFaultyService } from './faults/faulty-service.ts';
import { startKms } from './kms/kms-server.ts';
import { localCredentials, localRegion } from './local-deployment.ts';
import type { PortChoice } from './loopback-server.ts';
import type { Program } from './program.ts';
import { ItemHistory } from './replication/item-history.ts';
import { createReplica } from './replication/replica.ts';
import type { StatePaths } from './state.ts';

/** Where DynamoDB and KMS answer. */
export interface Backends {
  readonly dynamodbEndpoint: string;
  readonly kmsEndpoint: string;
  /** For the adapters' clients. */
  readonly clientOptions: AwsClientOptions;
}

interface BackendOptions {
  readonly paths: StatePaths;
  readonly ports: { readonly dynamodb: PortChoice; readonly kms: PortChoice };
  readonly createTables: Program['createTables'];
  /** Stand before both services; there are none where left out. */
  readonly faults?: Faults | undefined;
}

interface Endpoints {
  readonly dynamodb: string;
  readonly kms: string;
}

async function startFaultyServices(
  working: Endpoints,
  { ports }: BackendOptions,
  faults: Faults,
  cleanUp: CleanUp,
): Promise<Endpoints> {
  const past = { history: new ItemHistory(), endpoint: working.dynamodb, now: Date.now };
  const [dynamodb, kms] = await Promise.all([
    startFaultyService({
      service: 'dynamodb',
      endpoint: working.dynamodb,
      faults,
      port: ports.dynamodb,
      readPast: createReplica(past),
    }),
    startFaultyService({ service: 'kms', endpoint: working.kms, faults, port: ports.kms }),
  ]);
  return { dynamodb: cleanUp.use(dynamodb).endpoint, kms: cleanUp.use(kms).endpoint };
}

/** Starts DynamoDB, with the tables of the deployment, and KMS. */
export async function startBackends(options: BackendOptions, cleanUp: CleanUp): Promise<Backends> {
  const { paths, ports, faults } = options;
  const behind = faults === undefined ? ports : { dynamodb: { port: 0 }, kms: { port: 0 } };
  const dynamodb = cleanUp.use(
    await startDynamoDb({ directory: paths.dynamodb, port: behind.dynamodb }),
  );
  const kms = cleanUp.use(await startKms({ directory: paths.kms, port: behind.kms }));
  const working = { dynamodb: dynamodb.endpoint, kms: kms.endpoint };
  const endpoints =
    faults === undefined ? working : await startFaultyServices(working, options, faults, cleanUp);
  const clientOptions = {
    region: localRegion.awsRegion,
    endpointDynamoDb: endpoints.dynamodb,
    endpointKms: endpoints.kms,
    credentials: localCredentials,
  };
  const client = createDynamoDbClient(clientOptions);
  await options.createTables(client);
  client.destroy();
  return { dynamodbEndpoint: endpoints.dynamodb, kmsEndpoint: endpoints.kms, clientOptions };
}
