import { createDynamoDbClient } from '../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbRotationStore } from '../adapters/dynamodb/stores/rotation-store.ts';
import type { RegionId } from '../contract/regions.ts';
import type { RotationState } from '../core/key-rotation/rotation-ports.ts';
import type { OperatorRequest } from './ask-rotation.ts';
import type { Deployment } from './deployment.ts';

/** The signing keys of a deployment: read from the table, changed only by the rotation. */
export function openSigningKeys(deployment: Deployment, table: string) {
  const store = createDynamoDbRotationStore(createDynamoDbClient(deployment.aws), table);
  return {
    read: async (): Promise<RotationState> => {
      const [keys, intents, heartbeats, algorithmChoice] = await Promise.all([
        store.listSigningKeys(),
        store.listKeyIntents(),
        store.listHeartbeats(),
        store.findAlgorithmChoice(),
      ]);
      return { keys, intents, heartbeats, algorithmChoice, unusableKids: new Set() };
    },
    listCanaryRuns: () => store.listCanaryRuns(),
    /**
     * Invokes a region's rotation, with a proof of the caller. The SDK's clients of Lambda and STS
     * are loaded only for it.
     */
    ask: async (regionId: RegionId, event: OperatorRequest) => {
      const { askRotation } = await import('./ask-rotation.ts');
      return askRotation(deployment, regionId, event);
    },
  };
}
