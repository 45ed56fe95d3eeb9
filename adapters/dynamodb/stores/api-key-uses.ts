import { apiKeyUseId, apiKeyUseTable } from '../../../contract/tables.ts';
import type { RecordApiKeyUse } from '../../../core/api-key/api-key.ts';
import { createUseRecorder, type RecordedUse } from '../../../core/api-key/api-key-uses.ts';
import { unlessConditionFails } from '../../aws-errors.ts';
import type { AwsJsonClient } from '../../aws-json/aws-json-client.ts';

const { partitionKey, dayAttribute, timeToLive } = apiKeyUseTable;

function toInput(table: string, use: RecordedUse) {
  return {
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
}

/** @param client should retry nothing, and share no connection with calls that matter. */
export function createApiKeyUseRecorder(client: AwsJsonClient, table: string): RecordApiKeyUse {
  return createUseRecorder((use) =>
    unlessConditionFails(client.call('UpdateItem', toInput(table, use))),
  );
}
