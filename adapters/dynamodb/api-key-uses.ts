import { apiKeyUseId, apiKeyUseTable } from '../../contract/tables.ts';
import type { RecordApiKeyUse } from '../../core/api-key/api-key-store.ts';
import { createUseRecorder, type RecordedUse } from '../../core/api-key/api-key-uses.ts';
import type { AwsJsonClient } from '../aws-json/aws-json-client.ts';

const { partitionKey, dayAttribute, timeToLive } = apiKeyUseTable;

async function writeUse(client: AwsJsonClient, table: string, use: RecordedUse): Promise<void> {
  const input = {
    TableName: table,
    Key: { [partitionKey]: { S: apiKeyUseId(use.keyId, use.valueId) } },
    UpdateExpression: 'SET #day = :day, #end = :end',
    // A clock that is behind never overwrites a later day. A day in the future is an error, and is
    // corrected.
    ConditionExpression: 'attribute_not_exists(#day) OR #day < :day OR #day > :next',
    ExpressionAttributeNames: { '#day': dayAttribute, '#end': timeToLive },
    ExpressionAttributeValues: {
      ':day': { S: use.day },
      ':next': { S: use.nextDay },
      ':end': { N: String(use.expiresAt) },
    },
  };
  try {
    await client.call('UpdateItem', input);
  } catch (error) {
    const isRecorded = error instanceof Error && error.name === 'ConditionalCheckFailedException';
    if (!isRecorded) throw error;
  }
}

/** @param client should retry nothing, and share no connection with calls that matter. */
export function createApiKeyUseRecorder(client: AwsJsonClient, table: string): RecordApiKeyUse {
  return createUseRecorder((use) => writeUse(client, table, use));
}
