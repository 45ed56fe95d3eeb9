import { createDynamoDbClient } from '../adapters/dynamodb/dynamodb-client.ts';
import { createDynamoDbRotationStore } from '../adapters/dynamodb/rotation-store.ts';
import type { RotationReport } from '../contract/function-events.ts';
import type { RegionId } from '../contract/regions.ts';
import { seconds } from '../core/clock.ts';
import type { RotationState } from '../core/key-rotation/rotation-state.ts';
import type { OperatorRequest } from './ask-rotation.ts';
import type { Deployment } from './deployment.ts';

/** The signing keys of a deployment: read from the table, changed only by the rotation. */
export interface SigningKeys {
  readonly read: () => Promise<RotationState>;
  /** Invokes a region's rotation, with a proof of the caller. */
  readonly ask: (regionId: RegionId, event: OperatorRequest) => Promise<RotationReport>;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

export function openSigningKeys(deployment: Deployment, table: string): SigningKeys {
  const store = createDynamoDbRotationStore(createDynamoDbClient(deployment.aws), table);
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
    // The SDK's clients of Lambda and STS are loaded only for a change.
    ask: async (regionId, event) => {
      const { askRotation } = await import('./ask-rotation.ts');
      return askRotation(deployment, regionId, event);
    },
    now: () => seconds(Date.now()),
  };
}
