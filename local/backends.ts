import type { AwsClientOptions } from '../adapters/aws-client-options.ts';
import { createTables } from '../adapters/dynamodb/create-tables.ts';
import { createDynamoDbClient } from '../adapters/dynamodb/dynamodb-client.ts';
import type { CleanUp } from './clean-up.ts';
import { startDynamoDb } from './dynamodb.ts';
import type { Faults } from './faults/faults.ts';
import { startFaultyService } from './faults/faulty-service.ts';
import { startKms } from './kms/kms-server.ts';
import { localCredentials, localRegion } from './local-deployment.ts';
import type { PortChoice } from './loopback-server.ts';
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

/** Starts DynamoDB, with the tables of the deployment, and KMS. */
export async function startBackends(
  paths: StatePaths,
  ports: { readonly dynamodb: PortChoice; readonly kms: PortChoice },
  deploymentName: string,
  cleanUp: CleanUp,
): Promise<Backends> {
  const dynamodb = cleanUp.use(
    await startDynamoDb({ directory: paths.dynamodb, port: ports.dynamodb }),
  );
  const kms = cleanUp.use(await startKms({ directory: paths.kms, port: ports.kms }));
  const clientOptions = {
    region: localRegion.awsRegion,
    endpointDynamoDb: dynamodb.endpoint,
    endpointKms: kms.endpoint,
    credentials: localCredentials,
  };
  const client = createDynamoDbClient(clientOptions);
  await createTables(client, deploymentName);
  client.destroy();
  return { dynamodbEndpoint: dynamodb.endpoint, kmsEndpoint: kms.endpoint, clientOptions };
}
