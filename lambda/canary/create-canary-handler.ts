import { randomUUID } from 'node:crypto';
import type { AwsClients } from '../../adapters/aws-clients.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/rotation-store.ts';
import type { FetchJwks } from '../../adapters/https/fetch-jwks.ts';
import { createKmsSign } from '../../adapters/kms/kms-sign.ts';
import type { Environment } from '../../contract/environment.ts';
import { type CanaryResult, parseCanaryEvent } from '../../contract/function-events.ts';
import type { RegionId } from '../../contract/regions.ts';
import { UnavailableError } from '../../core/errors.ts';
import { type CanaryPorts, checkKey } from '../../core/signing-key/canary.ts';
import { regionsInService } from '../../core/signing-key/regions-in-service.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';

export type CanaryHandler = (event: unknown) => Promise<CanaryResult>;

/**
 * The canary function: signs a token that authorises nothing and verifies it through the JWKS that
 * each region serves. It is a function of its own because the rotation may not sign.
 */
export function createCanaryHandler(
  environment: Environment<'canary'>,
  aws: Pick<AwsClients, 'dynamodb' | 'kms'>,
  fetchJwks: FetchJwks,
): CanaryHandler {
  const { AUTH_REGION_ID: own, AUTH_REGIONAL_JWKS_URIS: uris } = environment;
  const store = createDynamoDbRotationStore(aws.dynamodb, environment.AUTH_SIGNING_KEYS_TABLE);
  const ports: CanaryPorts = {
    sign: createKmsSign(aws.kms),
    fetchJwks: async (regionId) => {
      const uri = uris[regionId];
      if (uri !== undefined) return fetchJwks(uri);
      throw new UnavailableError(`the config of ${own} does not know ${regionId}: deploy it again`);
    },
  };
  return async (input) => {
    const { kid } = parseCanaryEvent(input);
    const now = Math.floor(Date.now() / 1000);
    const keys = selectKeys(await store.listSigningKeys(), own, kid);
    const configured = Object.keys(uris) as RegionId[];
    const regions = regionsInService(own, configured, await store.listHeartbeats(), now);
    const verdicts = await Promise.all(
      keys.map((key) => checkKey(key, regions, ports, { now, jti: randomUUID() })),
    );
    return { verdicts: verdicts.flat() };
  };
}

/** The key that is asked about, or what signs in this region now. */
function selectKeys(
  keys: readonly SigningKey[],
  own: RegionId,
  kid: string | undefined,
): readonly SigningKey[] {
  return keys.filter(
    (key) =>
      key.regionId === own && (kid === undefined ? key.state === 'current' : key.kid === kid),
  );
}
