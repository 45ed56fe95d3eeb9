import { randomUUID } from 'node:crypto';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import type { RegionId } from '../../../contract/regions.ts';
import { deployedTableName } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { checkKey } from '../../../core/key-rotation/canary.ts';
import type { CheckKey } from '../../../core/key-rotation/rotation-ports.ts';
import type { AwsClients } from '../../../lab/support/aws-clients.ts';
import type { Shared } from './three-regions.ts';

/** A region's canary, which reads the JWKS of every region that has run its rotation. */
export function createRegionCanary(own: RegionId, aws: AwsClients, shared: Shared): CheckKey {
  const { config, running, clock } = shared;
  const table = deployedTableName(config, 'signingKeys');
  const store = createDynamoDbRotationStore(aws.dynamodb, table);
  const fetchJwks = async (id: RegionId): Promise<unknown> => {
    const response = await running.get(id)?.jwks();
    if (response?.statusCode !== 200) throw new UnavailableError(`${id} does not answer`);
    return JSON.parse(response.body);
  };
  return async (kid) => {
    const key = (await store.listSigningKeys()).find((candidate) => candidate.kid === kid);
    if (key === undefined) throw new Error(`there is no key ${kid}`);
    const heartbeats = await store.listHeartbeats();
    const regions = new Set([own, ...heartbeats.map(({ regionId }) => regionId)]);
    const values = { now: Math.floor(clock.time / 1000), jti: randomUUID() };
    const fetchMetadata = async () => ({
      id_token_signing_alg_values_supported: config.signingAlgorithms,
    });
    const ports = { sign: createKmsSign(aws.kms), fetchJwks, fetchMetadata };
    return checkKey(key, [...regions], ports, values);
  };
}
