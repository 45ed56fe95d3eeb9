import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import {
  type DeploymentConfig,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { functionSettings } from '../../../contract/function-settings.ts';
import { selfTestEvent } from '../../../contract/health.ts';
import { type RegionId, regionIds } from '../../../contract/regions.ts';
import { jwksPath } from '../../../contract/routes.ts';
import { deployedTableName } from '../../../contract/tables.ts';
import type { ClientStore } from '../../../core/client/client.ts';
import { createAwsCaller } from '../../../lab/emulator/aws-server/aws-caller.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import { startFaultyService } from '../../../lab/emulator/faults/faulty-service.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { ItemHistory } from '../../../lab/emulator/replication/item-history.ts';
import { createReplica } from '../../../lab/emulator/replication/replica.ts';
import { describeEnvironments } from '../../../lab/local/environment-source.ts';
import { createAwsClients, toVariables } from '../../../lab/support/aws-clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { createJwksHandler } from '../../../lambda/jwks/function.ts';
import { createKeyRotationHandler } from '../../../lambda/key-rotation/function.ts';
import type { HttpResponse } from '../../../lambda/shared/http-message.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { authenticateOperator, rotationInvocation } from '../caller-proof.ts';
import { createPublisher } from '../publisher.ts';
import { recordTelemetry } from '../recorded-telemetry.ts';
import { testAccessKey as accessKey } from '../test-access-key.ts';
import { tokenRequest } from '../token-world.ts';
import { createRegionCanary } from './region-canary.ts';

const awsRegions: Readonly<Record<RegionId, string>> = {
  slc: 'us-west-2',
  dfw: 'us-east-2',
  pit: 'us-east-1',
};

/** The config of such a deployment, with other regions or names. */
export function configOf(
  ids: readonly RegionId[],
  more: Partial<DeploymentConfigInput> = {},
): DeploymentConfig {
  return parseDeploymentConfig({
    domain: {
      name: 'auth.example.com',
      hostedZoneId: 'Z0123456789ABC',
      hostedZoneName: 'example.com',
    },
    regions: Object.fromEntries(ids.map((id) => [id, { awsRegion: awsRegions[id] }])),
    defaultAudience: 'https://api.example.com',
    scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
    signingAlgorithms: ['ES256'],
    fairShare: { mode: 'off' },
    ...more,
  });
}

const config = configOf(regionIds);

/** One region's functions, before its own replica of the tables and its own KMS. */
export interface Region {
  readonly id: RegionId;
  readonly faults: Faults;
  /** Management in this region. */
  readonly clients: ClientStore;
  /** What the runs of the rotation reported. */
  readonly runs: readonly RunReport[];
  issue(clientId: string, secret: string): Promise<HttpResponse>;
  jwks(): Promise<HttpResponse>;
  rotate(action: 'deploy' | 'reconcile'): Promise<unknown>;
  close(): Promise<void>;
}

/** Three regions under one issuer, on tables with strong multi-region consistency. */
export interface ThreeRegions {
  readonly regions: Readonly<Record<RegionId, Region>>;
  readonly all: readonly Region[];
  readonly issuer: string;
  /** The regions' clock. It moves only if a test moves it. */
  now(): Date;
  /** Sets it ahead, by seconds. */
  wait(seconds: number): void;
  /** Sets it ahead by the replication lag: each region then sees every write so far. */
  replicate(): void;
  close(): Promise<void>;
}

/** A clock that moves only if it is set: milliseconds since the epoch. */
interface Clock {
  time: number;
}

export interface Shared {
  readonly config: DeploymentConfig;
  readonly dynamodbEndpoint: string;
  readonly kmsEndpoint: string;
  readonly history: ItemHistory;
  readonly lag: number;
  readonly clock: Clock;
  /** The regions that are started, for each other's canaries. */
  readonly running: Map<RegionId, Region>;
}

async function startBackends(id: RegionId, faults: Faults, shared: Shared) {
  const items = { service: 'dynamodb', endpoint: shared.dynamodbEndpoint, accessKey } as const;
  const caller = createAwsCaller(items);
  const replica = createReplica({
    history: shared.history,
    dynamodb: caller,
    region: id,
    lag: shared.lag,
    clock: () => shared.clock.time,
  });
  const dynamodb = await startFaultyService({ ...items, faults, readPast: replica });
  const kms = await startFaultyService({
    service: 'kms',
    endpoint: shared.kmsEndpoint,
    accessKey,
    faults,
  });
  const options: AwsClientOptions = {
    region: shared.config.regions[id]?.awsRegion,
    endpointDynamoDb: dynamodb.endpoint,
    endpointKms: kms.endpoint,
    credentials: accessKey,
  };
  const close = async () => {
    await Promise.all([dynamodb.close(), kms.close()]);
    caller.close();
  };
  return { options, close };
}

/** Starts the functions of one region. */
export async function startRegion(id: RegionId, shared: Shared): Promise<Region> {
  const { config } = shared;
  const clock = () => shared.clock.time;
  const faults = new Faults({ rules: [] }, clock);
  const backends = await startBackends(id, faults, shared);
  const source = describeEnvironments(config, 'https://auth.example.com', id);
  const json = createAwsJsonClients(toVariables(backends.options));
  const background = createAwsClients({ ...backends.options, profile: 'request' });
  const functionOptions = { clock, telemetry: recordTelemetry().telemetry };
  const token = createTokenHandler(functionSettings.token(source), json, functionOptions);
  const jwks = createJwksHandler(functionSettings.jwks(source), json, functionOptions);
  const runs: RunReport[] = [];
  const rotation = createKeyRotationHandler(functionSettings['key-rotation'](source), background, {
    sendAnswer: async () => {},
    authenticateCaller: authenticateOperator,
    selfTest: () => token(selfTestEvent, lambdaContext()),
    checkKey: createRegionCanary(id, background, shared),
    publishKey: createPublisher({
      aws: background,
      table: deployedTableName(config, 'signingKeys'),
      regionId: id,
      deploymentName: config.name,
      keyPolicy: source.kmsKeyPolicy,
      leeway: config.signingKeyPolicy.leeway,
      now: () => Math.floor(clock() / 1000),
    }),
    now: () => Math.floor(clock() / 1000),
    telemetry: { report: (report) => runs.push(report) },
  });
  const region: Region = {
    id,
    faults,
    runs,
    clients: createDynamoDbClientStore(background.dynamodb, deployedTableName(config, 'clients'), {
      consistentRead: true,
    }),
    issue: (clientId, secret) => {
      const headers = { Authorization: basic(clientId, secret) };
      return token(
        proxyEvent({ receivedAt: clock(), ...tokenRequest({ headers }) }),
        lambdaContext(),
      );
    },
    jwks: () => jwks(proxyEvent({ path: jwksPath }), lambdaContext()),
    rotate: (action) => rotation({ action }, rotationInvocation),
    close: async () => {
      for (const client of [json.dynamodb, json.kms]) client.close();
      for (const client of [background.dynamodb, background.kms]) client.destroy();
      await backends.close();
    },
  };
  shared.running.set(id, region);
  return region;
}

const twoDays = 2 * 86_400_000;
const sixMinutes = 360_000;

/** Lets the runs of half an hour prove the keys that wait, then two days go by: they sign. */
export async function passUntilKeysSign(all: readonly Region[], clock: Clock): Promise<void> {
  for (const wait of [...Array.from({ length: 5 }, () => sixMinutes), twoDays]) {
    clock.time += wait;
    for (const region of all) await region.rotate('reconcile');
  }
  // Functions read the list of keys again.
  clock.time += 120_000;
}

/** Deploys region after region, and lets time go by, so that all of them sign. */
async function deploy(all: readonly Region[], clock: Clock): Promise<void> {
  for (const region of all) await region.rotate('deploy');
  await passUntilKeysSign(all, clock);
}

/** @param lag milliseconds by which eventually consistent reads see other regions' writes late. */
export async function startThreeRegions(lag: number): Promise<ThreeRegions> {
  const dynamodb = await startDynamoDb({ accessKey });
  const kms = await startKms({ accessKey });
  const client = createDynamoDbClient({
    region: 'us-west-2',
    endpointDynamoDb: dynamodb.endpoint,
    credentials: accessKey,
  });
  await createTables(client, config.name);
  client.destroy();
  const clock = { time: Date.now() };
  const shared: Shared = {
    config,
    dynamodbEndpoint: dynamodb.endpoint,
    kmsEndpoint: kms.endpoint,
    history: new ItemHistory(),
    lag,
    clock,
    running: new Map(),
  };
  const [slc, dfw, pit] = await Promise.all([
    startRegion('slc', shared),
    startRegion('dfw', shared),
    startRegion('pit', shared),
  ]);
  const all = [slc, dfw, pit];
  await deploy(all, clock);
  return {
    regions: { slc, dfw, pit },
    all,
    issuer: 'https://auth.example.com',
    now: () => new Date(clock.time),
    wait: (seconds) => {
      clock.time += seconds * 1000;
    },
    replicate: () => {
      clock.time += lag;
    },
    close: async () => {
      await Promise.all(all.map((region) => region.close()));
      await Promise.all([dynamodb.close(), kms.close()]);
    },
  };
}
