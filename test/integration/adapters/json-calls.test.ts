import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createJsonCalls } from '../../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { createDynamoDbSigningKeyStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createDynamoDbSigningKeyReader } from '../../../adapters/dynamodb/stores/signing-key-reader.ts';
import { tableName } from '../../../contract/tables.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { client } from '../../support/arbitraries.ts';
import { type Dynalite, startDynalite, testAwsEnvironment, testAwsOptions } from './dynalite.ts';

const clients = tableName('test', 'clients');
const signingKeys = tableName('test', 'signingKeys');

let server: Dynalite;
let dynamodb: ReturnType<typeof createDynamoDbClient>;
let json: ReturnType<typeof createAwsJsonClient>;

beforeAll(async () => {
  server = await startDynalite();
  dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
  await createTables(dynamodb, 'test');
  json = createAwsJsonClient({
    service: 'dynamodb',
    environment: testAwsEnvironment(server.endpoint),
    profile: callProfiles.request,
    maxSockets: 10,
  });
});
afterAll(async () => {
  json.close();
  await server.close();
});

const consistentRead = true;

describe('readers on the AWS JSON client', () => {
  it('read every client that the store writes', async () => {
    const store = createDynamoDbClientStore(dynamodb, clients);
    const reader = createDynamoDbClientReader(createJsonCalls(json), clients, {
      consistentRead,
    });
    await fc.assert(
      fc.asyncProperty(client, async (each) => {
        await store.create(each);
        expect(await reader.findClient(each.clientId)).toEqual(each);
        await store.delete(each.clientId, each.version);
        expect(await reader.findClient(each.clientId)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('record the use of a secret once a day, and never for a deleted secret', async () => {
    const store = createDynamoDbClientStore(dynamodb, clients, { consistentRead });
    const reader = createDynamoDbClientReader(createJsonCalls(json), clients);
    const [sample] = fc.sample(
      client.filter(({ secrets }) => secrets.length === 1),
      { numRuns: 1, seed: 7 },
    );
    if (sample === undefined) throw new Error('there is a client with one secret');
    const secrets = sample.secrets.map((each) => ({ ...each, lastUsedOn: undefined }));
    await store.create({ ...sample, secrets });
    const [{ secretId } = { secretId: '' }] = secrets;
    for (const [id, day] of [
      [secretId, '2026-11-20'],
      [secretId, '2026-11-19'],
      ['secret_gone', '2026-11-20'],
    ] as const) {
      await reader.recordUse(sample.clientId, id, day);
    }
    const found = await store.find(sample.clientId);
    expect(found?.secrets.map(({ lastUsedOn }) => lastUsedOn)).toEqual(['2026-11-20']);
  });

  it('list the signing keys', async () => {
    const key: SigningKey = {
      kid: 'k'.repeat(43),
      regionId: 'slc',
      alg: 'ES256',
      kmsKeyArn: 'arn:aws:kms:us-west-2:000000000000:key/1',
      publicJwk: {
        kid: 'k'.repeat(43),
        alg: 'ES256',
        use: 'sig',
        kty: 'EC',
        crv: 'P-256',
        x: 'x',
        y: 'y',
      },
      state: 'current',
      publishedAt: 1_800_000_000,
      version: 1,
    };
    await createDynamoDbSigningKeyStore(dynamodb, signingKeys).createSigningKey(key);
    const reader = createDynamoDbSigningKeyReader(createJsonCalls(json), signingKeys);
    expect(await reader.listSigningKeys()).toMatchObject([key]);
  });
});
