import { createHash } from 'node:crypto';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readSettings } from '../../../contract/read-settings.ts';

// The floor of a token: the read and the signature through the clients of the token function, as
// many bytes, and nothing else. It authenticates no one.

const aws = createAwsJsonClients(process.env);
aws.kms.open();
aws.dynamodb.open();

const read = {
  TableName: readSettings('token', process.env).clientsTable,
  Key: { client_id: { S: process.env['BENCH_CLIENT_ID'] } },
};
/** As long as the signing input of a token of the usual size. */
const signingInput = 'x'.repeat(560);

export async function handler(): Promise<unknown> {
  await aws.dynamodb.call('GetItem', read);
  const { Signature } = (await aws.kms.call('Sign', {
    KeyId: process.env['BENCH_KMS_KEY'],
    Message: createHash('sha256').update(signingInput).digest('base64'),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
  })) as { readonly Signature: string };
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ access_token: `${signingInput}.${Signature}`, token_type: 'Bearer' }),
  };
}
