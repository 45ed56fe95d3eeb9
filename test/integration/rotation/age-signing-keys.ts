import { createAwsClients } from '../../../adapters/aws-clients.ts';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/rotation-store.ts';
import { tableName } from '../../../contract/tables.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { LocalRun } from '../../../local/start-local.ts';

const times = [
  'publishedAt',
  'activatedAt',
  'retiredAt',
  'withdrawAt',
  'withdrawnAt',
  'disableAt',
  'disabledAt',
  'deletionScheduledAt',
] as const satisfies readonly (keyof SigningKey)[];

function makeEarlier(key: SigningKey, seconds: number): SigningKey {
  const changes = times.flatMap((name) => {
    const time = key[name];
    return time === undefined ? [] : [[name, time - seconds]];
  });
  return { ...key, ...Object.fromEntries(changes), version: key.version + 1 };
}

/** Makes the signing keys of a local run older, so that a test need not wait. */
export async function ageSigningKeys({ environment }: LocalRun, seconds: number): Promise<void> {
  const { dynamodb, kms } = createAwsClients({
    region: environment['AWS_REGION'],
    endpointDynamoDb: environment['AWS_ENDPOINT_URL_DYNAMODB'],
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  const store = createDynamoDbRotationStore(dynamodb, tableName('local', 'signingKeys'));
  for (const key of await store.listSigningKeys()) {
    await store.replaceSigningKey(makeEarlier(key, seconds));
  }
  dynamodb.destroy();
  kms.destroy();
}
