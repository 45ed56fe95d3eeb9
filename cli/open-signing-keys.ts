import { createAwsClients } from '../adapters/aws-clients.ts';
import { createDynamoDbRotationStore } from '../adapters/dynamodb/rotation-store.ts';
import { askKeyRotation } from '../adapters/lambda/function-calls.ts';
import { createInvokeFunction } from '../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../adapters/lambda/lambda-client.ts';
import { createCallerProof } from '../adapters/sts/caller-proof.ts';
import { deployedRegions } from '../contract/deployment-config.ts';
import type { KeyRotationEvent, RotationReport } from '../contract/function-events.ts';
import { functionName } from '../contract/function-names.ts';
import type { RegionId } from '../contract/regions.ts';
import { requestDigest } from '../core/audit/request-digest.ts';
import { seconds } from '../core/clock.ts';
import type { RotationState } from '../core/signing-key/rotation-state.ts';
import type { Deployment } from './deployment.ts';

/** The signing keys of a deployment: read from the table, changed only by the rotation. */
export interface SigningKeys {
  readonly read: () => Promise<RotationState>;
  /** Invokes a region's rotation, with a proof of the caller. */
  readonly ask: (
    regionId: RegionId,
    event: Extract<KeyRotationEvent, { action: 'rotate' | 'withdraw' }>,
  ) => Promise<RotationReport>;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

export function openSigningKeys(deployment: Deployment, table: string): SigningKeys {
  const { config, aws, environment } = deployment;
  const { dynamodb } = createAwsClients(aws);
  const store = createDynamoDbRotationStore(dynamodb, table);
  const proveCaller = createCallerProof(aws, environment);
  const regions = deployedRegions(config);
  return {
    read: async () => {
      const [keys, intents, heartbeats, algorithmChoice] = await Promise.all([
        store.listSigningKeys(),
        store.listKeyIntents(),
        store.listHeartbeats(),
        store.findAlgorithmChoice(),
      ]);
      return { keys, intents, heartbeats, algorithmChoice, unusableKids: new Set() };
    },
    ask: async (regionId, event) => {
      const region = regions.find(({ id }) => id === regionId)?.awsRegion ?? '';
      const invoke = createInvokeFunction(createLambdaClient({ ...aws, region }));
      const name = functionName(config.name, 'key-rotation');
      const caller_proof = await proveCaller(region, requestDigest(name, event));
      return askKeyRotation(invoke, name, { ...event, caller_proof });
    },
    now: () => seconds(Date.now()),
  };
}
