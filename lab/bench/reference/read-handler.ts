import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readSettings } from '../../../contract/read-settings.ts';

// The floor of an API key: its read through the client of the authorizer, and nothing else.

const { dynamodb } = createAwsJsonClients(process.env);
dynamodb.open();

const read = {
  TableName: readSettings('authorizer', process.env).apiKeysTable,
  Key: { key_id: { S: process.env['BENCH_KEY_ID'] } },
};
const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };

export async function handler(): Promise<unknown> {
  await dynamodb.call('GetItem', read);
  return {
    principalId: 'floor',
    policyDocument: { Version: '2012-10-17', Statement: [statement] },
    context: {},
  };
}
