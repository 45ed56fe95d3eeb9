import {
  changedSigningKeyAttributes,
  signingKeyRecordTypes,
  tables,
} from '../../../contract/tables.ts';
import type { RotationStore } from '../../../core/key-rotation/rotation-ports.ts';
import type { SigningKeyStore } from '../../../core/signing-key/signing-key.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import {
  algorithmChoiceItem,
  canaryRunItem,
  heartbeatItem,
  keyIntentItem,
} from '../items/rotation-item.ts';
import { signingKeyItem } from '../items/signing-key-item.ts';
import type { StoreOptions } from './read-items.ts';
import { createDynamoDbSigningKeyReader, listRecords } from './signing-key-reader.ts';
import { absent, following, having, putItem, updateItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

function keyOf(recordType: string, recordId: string): Record<string, string> {
  return { [partitionKey]: recordType, [sortKey]: recordId };
}

/** Signing keys in DynamoDB: one item each, all in one partition, which one Query reads. */
export function createDynamoDbSigningKeyStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): SigningKeyStore {
  return {
    ...createDynamoDbSigningKeyReader(dynamodb, table, store),
    createSigningKey: async (key) =>
      putItem(dynamodb, signingKeyItem.toItem(key), {
        table,
        key: keyOf(signingKeyRecordTypes.key, key.kid),
        condition: absent(partitionKey),
        doing: `record signing key "${key.kid}"`,
        conflict: 'it is recorded',
      }),
    replaceSigningKey: async (key) =>
      updateItem(dynamodb, signingKeyItem.toItem(key), {
        table,
        key: keyOf(signingKeyRecordTypes.key, key.kid),
        attributes: changedSigningKeyAttributes,
        condition: having('version', key.version - 1),
        doing: `change signing key "${key.kid}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
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
  const put = (item: Item, doing: string) =>
    callAws('DynamoDB', doing, async () => {
      await dynamodb.put({ TableName: table, Item: item });
    });
  const listChoices = listRecords(dynamodb, table, algorithmChoiceItem, store);
  return {
    ...createDynamoDbSigningKeyStore(dynamodb, table, store),
    listKeyIntents: listRecords(dynamodb, table, keyIntentItem, store),
    putKeyIntent: async (intent) =>
      putItem(dynamodb, keyIntentItem.toItem(intent), {
        table,
        key: keyOf(signingKeyRecordTypes.intent, intent.slot),
        condition: following(partitionKey, intent.version),
        doing: `write the key intent of ${intent.slot}`,
        conflict: 'another run was faster',
      }),
    listHeartbeats: listRecords(dynamodb, table, heartbeatItem, store),
    putHeartbeat: (heartbeat) => put(heartbeatItem.toItem(heartbeat), 'record the heartbeat'),
    findAlgorithmChoice: async () => (await listChoices())[0],
    putAlgorithmChoice: (choice) => put(algorithmChoiceItem.toItem(choice), 'record the algorithm'),
    // No plan depends on them, so one that cannot be read is as good as none.
    listCanaryRuns: listRecords(dynamodb, table, canaryRunItem, { consistentRead: true }),
    putCanaryRun: async (result) => put(canaryRunItem.toItem(result), "record the canary's run"),
  };
}
