import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { callAws, ResourceNotFoundError } from '../aws-errors.ts';

/**
 * Whether a table exists. A Query cannot tell: IAM may refuse one whose condition is about the
 * partition key of a table that is not there.
 *
 * @throws {UnavailableError} if DynamoDB does not answer.
 */
export async function tableExists(dynamodb: DynamoDBDocument, table: string): Promise<boolean> {
  const command = new DescribeTableCommand({ TableName: table });
  try {
    await callAws('DynamoDB', `describe ${table}`, () => dynamodb.send(command));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundError) return false;
    throw error;
  }
}
