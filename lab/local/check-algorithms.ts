import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/rotation-store.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { tableName } from '../../contract/tables.ts';
import {
  AlgorithmInUseError,
  assertAlgorithmsKept,
} from '../../core/key-rotation/kept-algorithms.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';

/**
 * Like the deployment check on AWS, this refuses a run with existing state that omits the algorithm
 * of a key in use.
 *
 * @throws {LocalRunError} with the flag that is allowed.
 */
export async function checkAlgorithms(
  config: DeploymentConfig,
  clientOptions: AwsClientOptions,
): Promise<void> {
  const client = createDynamoDbClient(clientOptions);
  const store = createDynamoDbRotationStore(client, tableName(config.name, 'signingKeys'));
  try {
    assertAlgorithmsKept({
      keys: await store.listSigningKeys(),
      heartbeats: await store.listHeartbeats(),
      algs: config.signingAlgorithms,
      regionIds: deployedRegions(config).map(({ id }) => id),
      policy: config.signingKeyPolicy,
      now: Math.floor(Date.now() / 1000),
    });
  } catch (error) {
    if (!(error instanceof AlgorithmInUseError)) throw error;
    const flag = `--algorithm ${error.allowed.join(',')}`;
    throw new LocalRunError(`${error.message}\nallowed: ${flag}, or --reset`, { cause: error });
  } finally {
    client.destroy();
  }
}
