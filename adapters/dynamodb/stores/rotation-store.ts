import { signingKeyRecordTypes, tables } from '../../../contract/tables.ts';
import type { RotationStore } from '../../../core/key-rotation/rotation-ports.ts';
import type { Heartbeat } from '../../../core/key-rotation/rotation-state.ts';
import { collect } from '../../../core/paging.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { algorithmChoiceItem, heartbeatItem, keyIntentItem } from '../items/rotation-item.ts';
import { parseItems, queryPartition } from './read-items.ts';
import { createDynamoDbSigningKeyStore } from './signing-key-store.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, having, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

function keyOf(recordType: string, recordId: string): Record<string, string> {
  return { [partitionKey]: recordType, [sortKey]: recordId };
}

/** Heartbeats as this region sees them: an eventually consistent read. */
export function createDynamoDbHeartbeatReader(
  dynamodb: DynamoDbDocuments,
  table: string,
): () => Promise<readonly Heartbeat[]> {
  const partition = { table, partitionKey, value: signingKeyRecordTypes.heartbeat };
  return () =>
    collect(parseItems(queryPartition(dynamodb, partition, {}), heartbeatItem.parse, {}));
}

/**
 * Signing keys and the rotation's own records, in separate partitions of one table. Every read is
 * strongly consistent, because a plan from an old state ends in a failed write.
 */
export function createDynamoDbRotationStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  options: Pick<StoreOptions, 'onMalformedRecord'> = {},
): RotationStore {
  const store: StoreOptions = { ...options, consistentRead: true };
  const list = <T extends object>(value: string, parse: (item: Item) => T): Promise<readonly T[]> =>
    collect(
      parseItems(queryPartition(dynamodb, { table, partitionKey, value }, store), parse, store),
    );
  const put = (item: Item, doing: string) =>
    callAws('DynamoDB', doing, async () => {
      await dynamodb.put({ TableName: table, Item: item });
    });
  const intentWrite = (slot: string, doing: string) => ({
    table,
    key: keyOf(signingKeyRecordTypes.intent, slot),
    doing: `${doing} the key intent of ${slot}`,
    conflict: 'another run was faster',
  });
  return {
    ...createDynamoDbSigningKeyStore(dynamodb, table, store),
    listKeyIntents: () => list(signingKeyRecordTypes.intent, keyIntentItem.parse),
    createKeyIntent: (intent) =>
      putItem(dynamodb, keyIntentItem.toItem(intent), {
        ...intentWrite(intent.slot, 'record'),
        condition: absent(partitionKey),
      }),
    replaceKeyIntent: (intent) =>
      putItem(dynamodb, keyIntentItem.toItem(intent), {
        ...intentWrite(intent.slot, 'change'),
        condition: having('version', intent.version - 1),
      }),
    listHeartbeats: () => list(signingKeyRecordTypes.heartbeat, heartbeatItem.parse),
    putHeartbeat: (heartbeat) => put(heartbeatItem.toItem(heartbeat), 'record the heartbeat'),
    findAlgorithmChoice: async () => {
      const [choice] = await list(signingKeyRecordTypes.choice, algorithmChoiceItem.parse);
      return choice;
    },
    putAlgorithmChoice: (choice) => put(algorithmChoiceItem.toItem(choice), 'record the algorithm'),
  };
}
