import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/stores/rotation-store.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { deployedTableName } from '../../contract/tables.ts';
import {
  AlgorithmInUseError,
  assertAlgorithmsKept,
  type KeptAlgorithmsCheck,
} from '../../core/key-rotation/kept-algorithms.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';
import { forSetUp } from './local-aws-options.ts';
import { servedRegion } from './local-deployment.ts';

type Keys = KeptAlgorithmsCheck['keys'];

/** KMS has the keys of each AWS region, so a platform region cannot move with them. */
function checkRegion(config: DeploymentConfig, keys: Keys): void {
  const { id, awsRegion } = servedRegion(config);
  const elsewhere = keys
    .filter(({ regionId }) => regionId === id)
    .map(({ kmsKeyArn }) => kmsKeyArn.split(':')[3])
    .find((region) => region !== awsRegion);
  if (elsewhere === undefined) return;
  throw new LocalRunError(
    `regions.${id}.awsRegion: received "${awsRegion}"; allowed: "${elsewhere}", which has the signing keys of the state, or --reset`,
  );
}

function checkAlgorithms(check: KeptAlgorithmsCheck): void {
  try {
    assertAlgorithmsKept(check);
  } catch (error) {
    if (!(error instanceof AlgorithmInUseError)) throw error;
    const flag = `--algorithm ${error.allowed.join(',')}`;
    throw new LocalRunError(`${error.message}\nallowed: ${flag}, or --reset`, { cause: error });
  }
}

/**
 * Refuses a run with existing state whose keys could no longer sign: it omits the algorithm of a
 * key in use, which the deployment check on AWS refuses too, or it is in another AWS region.
 *
 * @throws {LocalRunError} with what is allowed.
 */
export async function checkKeptKeys(
  config: DeploymentConfig,
  clientOptions: AwsClientOptions,
): Promise<void> {
  const client = createDynamoDbClient(forSetUp(clientOptions));
  const store = createDynamoDbRotationStore(client, deployedTableName(config, 'signingKeys'));
  try {
    const keys = await store.listSigningKeys();
    checkRegion(config, keys);
    checkAlgorithms({
      keys,
      heartbeats: await store.listHeartbeats(),
      algs: config.signingAlgorithms,
      regionIds: deployedRegions(config).map(({ id }) => id),
      policy: config.signingKeyPolicy,
      now: Math.floor(Date.now() / 1000),
    });
  } finally {
    client.destroy();
  }
}
