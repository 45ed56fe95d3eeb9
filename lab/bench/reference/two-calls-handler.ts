import { createHash, createPublicKey, verify } from 'node:crypto';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readSettings } from '../../../contract/read-settings.ts';

// The floor of a token: the read and the signature through the clients of the token function, as
// many bytes, and nothing else. It authenticates no one. With BENCH_VERIFICATIONS it also verifies the
// signature so many times, and with BENCH_LOG_BYTES it writes a log line of so many bytes.

const aws = createAwsJsonClients(process.env);
aws.kms.open();
aws.dynamodb.open();

const read = {
  TableName: readSettings('token', process.env).clientsTable,
  Key: { client_id: { S: process.env['BENCH_CLIENT_ID'] } },
};
/** As long as the signing input of a token of the usual size. */
const signingInput = 'x'.repeat(560);

const logBytes = Number(process.env['BENCH_LOG_BYTES'] ?? 0);
const verifications = Number(process.env['BENCH_VERIFICATIONS'] ?? 0);
// A key of its own for each. A signature of another key may be refused before anything is computed.
const publicKeys = Array.from({ length: verifications }, () =>
  createPublicKey({
    key: Buffer.from(process.env['BENCH_PUBLIC_SPKI'] ?? '', 'base64'),
    format: 'der',
    type: 'spki',
  }),
);

export async function handler(): Promise<unknown> {
  await aws.dynamodb.call('GetItem', read);
  const { Signature } = (await aws.kms.call('Sign', {
    KeyId: process.env['BENCH_KMS_KEY'],
    Message: createHash('sha256').update(signingInput).digest('base64'),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
  })) as { readonly Signature: string };
  for (const key of publicKeys) {
    const signature = Buffer.from(Signature, 'base64');
    if (!verify('sha256', Buffer.from(signingInput), key, signature)) {
      throw new Error('the signature is not that of the key');
    }
  }
  if (logBytes > 0) process.stdout.write(`${'x'.repeat(logBytes - 1)}\n`);
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ access_token: `${signingInput}.${Signature}`, token_type: 'Bearer' }),
  };
}
