import { apiKeyUseId, apiKeyUseTable } from '../../../contract/tables.ts';
import type { ApiKeyUse, RecordApiKeyUse } from '../../../core/api-key/api-key.ts';
import { createUseRecorder, type RecordedUse } from '../../../core/api-key/api-key-uses.ts';
import { unlessConditionFails } from '../../aws-errors.ts';
import type { AwsJsonClient } from '../../aws-json/aws-json-client.ts';

const { partitionKey, dayAttribute, timeToLive } = apiKeyUseTable;

function itemOf(table: string, { keyId, valueId }: ApiKeyUse) {
  return { TableName: table, Key: { [partitionKey]: { S: apiKeyUseId(keyId, valueId) } } };
}

function toRead(table: string, use: ApiKeyUse) {
  return {
    ...itemOf(table, use),
    ProjectionExpression: '#day',
    ExpressionAttributeNames: { '#day': dayAttribute },
  };
}

function toWrite(table: string, use: RecordedUse) {
  return {
    ...itemOf(table, use),
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

interface DayOutput {
  readonly Item?: Readonly<Record<string, { readonly S?: string }>>;
}

/** @param client should retry nothing, and share no connection with calls that matter. */
export function createApiKeyUseRecorder(client: AwsJsonClient, table: string): RecordApiKeyUse {
  return createUseRecorder({
    async readDay(use) {
      const output = (await client.call('GetItem', toRead(table, use))) as DayOutput;
      return output.Item?.[dayAttribute]?.S;
    },
    write: (use) => unlessConditionFails(client.call('UpdateItem', toWrite(table, use))),
  });
}
