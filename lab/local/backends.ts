import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import type { AccessKey } from '../emulator/aws-server/access-key.ts';
import { createAwsCaller } from '../emulator/aws-server/aws-caller.ts';
import { startDynamoDb } from '../emulator/dynamodb.ts';
import type { Faults } from '../emulator/faults/faults.ts';
import { startFaultyService } from '../emulator/faults/faulty-service.ts';
import type { AccessControl } from '../emulator/iam/permission-gate.ts';
import { startKms } from '../emulator/kms/kms-server.ts';
import type { PortChoice } from '../emulator/loopback-server.ts';
import { ItemHistory } from '../emulator/replication/item-history.ts';
import { createReplica } from '../emulator/replication/replica.ts';
import type { OnStorage } from '../emulator/storage.ts';
import { startSts } from '../emulator/sts-server.ts';
import type { CleanUp } from './clean-up.ts';
import { forSetUp, type LocalAwsOptions } from './local-aws-options.ts';
import type { Program } from './program.ts';
import type { StatePaths } from './state.ts';

interface BackendOptions {
  /** Of this run: only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** Of the clients. */
  readonly awsRegion: string;
  readonly accessControl?: AccessControl | undefined;
  readonly paths: StatePaths;
  readonly ports: Readonly<Record<'dynamodb' | 'kms' | 'sts', PortChoice>>;
  readonly createTables: Program['createTables'];
  readonly onStorage?: OnStorage | undefined;
  /** Faults of both services. There are none by default. */
  readonly faults?: Faults | undefined;
}

interface Endpoints {
  readonly dynamodb: string;
  readonly kms: string;
}

async function startFaultyServices(
  working: Endpoints,
  { accessKey, ports }: BackendOptions,
  faults: Faults,
  cleanUp: CleanUp,
): Promise<Endpoints> {
  const items = { service: 'dynamodb', endpoint: working.dynamodb, accessKey } as const;
  const caller = createAwsCaller(items);
  cleanUp.use({ close: async () => caller.close() });
  const past = { history: new ItemHistory(), dynamodb: caller, clock: Date.now };
  const common = { accessKey, faults };
  const [dynamodb, kms] = await Promise.all([
    startFaultyService({
      ...common,
      ...items,
      port: ports.dynamodb,
      readPast: createReplica(past),
    }),
    startFaultyService({ ...common, service: 'kms', endpoint: working.kms, port: ports.kms }),
  ]);
  return { dynamodb: cleanUp.use(dynamodb).endpoint, kms: cleanUp.use(kms).endpoint };
}

/**
 * Starts DynamoDB, with the tables of the deployment, KMS and STS.
 *
 * @returns options of their clients.
 */
export async function startBackends(
  options: BackendOptions,
  cleanUp: CleanUp,
): Promise<LocalAwsOptions> {
  const { accessKey, awsRegion, accessControl, paths, ports, faults, onStorage } = options;
  const behind = faults === undefined ? ports : { dynamodb: { port: 0 }, kms: { port: 0 } };
  const common = { accessKey, accessControl, onStorage };
  const dynamodb = cleanUp.use(
    await startDynamoDb({ ...common, directory: paths.dynamodb, port: behind.dynamodb }),
  );
  const kms = cleanUp.use(await startKms({ ...common, directory: paths.kms, port: behind.kms }));
  const sts = cleanUp.use(await startSts({ accessKey, accessControl, port: ports.sts }));
  const working = { dynamodb: dynamodb.endpoint, kms: kms.endpoint };
  const endpoints =
    faults === undefined ? working : await startFaultyServices(working, options, faults, cleanUp);
  const clientOptions = {
    region: awsRegion,
    endpointDynamoDb: endpoints.dynamodb,
    endpointKms: endpoints.kms,
    endpointSts: sts.endpoint,
    credentials: accessKey,
  };
  const client = createDynamoDbClient(forSetUp(clientOptions));
  await options.createTables(client);
  client.destroy();
  return clientOptions;
}
