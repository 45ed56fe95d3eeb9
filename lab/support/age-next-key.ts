import { type DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { signingKeyRecordTypes } from '../../contract/tables.ts';

/** Longer than the lead of the default signing key policy. */
const twoDays = 2 * 86_400;

/**
 * Moves the proof of a region's next key two days back, as if every verifier had had these days to
 * learn it. It replaces a wait of a day.
 */
export async function ageNextKey(
  dynamodb: DynamoDBClient,
  { table, regionId }: { readonly table: string; readonly regionId: string },
): Promise<void> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'record_type = :type',
      ExpressionAttributeValues: { ':type': { S: signingKeyRecordTypes.key } },
      ConsistentRead: true,
    }),
  );
  const next = Items.find(
    ({ region_id, state }) => region_id?.S === regionId && state?.S === 'next',
  );
  if (next?.['record_id'] === undefined) throw new Error(`${regionId} has no next key`);
  await dynamodb.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { record_type: { S: signingKeyRecordTypes.key }, record_id: next['record_id'] },
      UpdateExpression: 'SET proved_at = published_at - :days',
      ExpressionAttributeValues: { ':days': { N: String(twoDays) } },
    }),
  );
}
