import { BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import { restoredTableName, tableName } from '../../../contract/tables.ts';
import type { RestorableTable } from '../../../core/restore/restore-tables.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { ItemHistory } from '../../../lab/emulator/replication/item-history.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { addCredentials, tokenOf } from '../../support/regions/credentials.ts';
import { configOf, type Region, startRegion } from '../../support/regions/three-regions.ts';
import { restoreTable } from '../../support/restore-table.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

/** The steps of docs/procedures/new-account.md with the functions, on DynamoDB's and KMS's protocols. */
const issuer = 'https://auth.example.com';
const audience = 'https://api.example.com';
const config = configOf(['slc']);
const clock = { time: Date.now() };

interface Account {
  readonly aws: AwsClientOptions;
  /** The functions of the deployment. */
  readonly region: Region;
}

/** An account with tables and a KMS of its own, in which the config was deployed. */
async function startAccount(): Promise<Account> {
  const dynamodb = await startDynamoDb({ accessKey: testAccessKey });
  const kms = await startKms({ accessKey: testAccessKey });
  const aws = {
    region: 'us-west-2',
    endpointDynamoDb: dynamodb.endpoint,
    endpointKms: kms.endpoint,
    credentials: testAccessKey,
  };
  await createTables(createAwsClients(aws).dynamodb, config.name);
  const region = await startRegion('slc', {
    config,
    dynamodbEndpoint: dynamodb.endpoint,
    kmsEndpoint: kms.endpoint,
    history: new ItemHistory(),
    lag: 0,
    clock,
    running: new Map(),
  });
  onTestFinished(async () => {
    await region.close();
    await Promise.all([dynamodb.close(), kms.close()]);
  });
  return { aws, region };
}

/** What a backup of one account brings to another: the items, in a table of another name. */
async function restoreBackup(from: Account, to: Account, table: RestorableTable): Promise<void> {
  const source = createAwsClients(from.aws).dynamodb;
  const target = createAwsClients(to.aws).dynamodb;
  const { Items = [] } = await source.send(
    new ScanCommand({ TableName: tableName(config.name, table) }),
  );
  const puts = Items.map((Item) => ({ PutRequest: { Item } }));
  if (puts.length === 0) return;
  await target.send(
    new BatchWriteCommand({ RequestItems: { [restoredTableName(config.name, table)]: puts } }),
  );
}

async function restoreMoved({ aws }: Account, table: RestorableTable): Promise<void> {
  const rows = await restoreTable({ aws, config }, table, restoredTableName(config.name, table));
  expect(rows.filter(({ outcome }) => outcome !== 'restored')).toEqual([]);
}

async function verifyWith({ region }: Account, token: string) {
  const keys = createLocalJWKSet(JSON.parse((await region.jwks()).body) as JSONWebKeySet);
  return jwtVerify(token, keys, { issuer, audience, currentDate: new Date(clock.time) });
}

const kept = ['settings', 'identityProviders', 'clients', 'apiKeys'] as const;

/** The former account, and a new one with the restored tables next to the deployed ones. */
async function startMove() {
  const former = await startAccount();
  await former.region.rotate('deploy');
  const credentials = await addCredentials(config, former.aws);
  const token = tokenOf(await former.region.issue(credentials.clientId, credentials.secret));
  const account = await startAccount();
  await createTables(createAwsClients(account.aws).dynamodb, `${config.name}-restored`);
  for (const table of [...kept, 'signingKeys'] as const)
    await restoreBackup(former, account, table);
  return { credentials, token, account };
}

describe('a new account, from backups of the former one', () => {
  it('issues at once with a key of its own: the same clients, secrets and API keys', async () => {
    const { credentials, token, account } = await startMove();
    const { clientId, secret, apiKey } = credentials;
    await account.region.rotate('deploy');
    expect((await account.region.issue(clientId, secret)).statusCode).toBe(401);
    for (const table of kept) await restoreMoved(account, table);

    const own = tokenOf(await account.region.issue(clientId, secret));
    await verifyWith(account, own);
    expect(decodeProtectedHeader(own).kid).not.toBe(decodeProtectedHeader(token).kid);
    // Tokens of the former account end when verifiers read the JWKS again.
    await expect(verifyWith(account, token)).rejects.toThrow('no applicable key found');
    const { apiKeys } = createDynamoDbLookups({ ...account.aws, tables: config.name });
    const verifier = createVerifier({ issuer, audience, apiKeys });
    const caller = await verifier.verify({ authorization: `Bearer ${apiKey}` });
    expect(caller.serviceTrunkGroup).toBe('tg');
  });

  it('issues nothing with the former signing keys, which stay in the KMS of their account', async () => {
    const { credentials, account } = await startMove();
    for (const table of [...kept, 'signingKeys'] as const) await restoreMoved(account, table);
    await account.region.rotate('deploy').catch(() => undefined);
    const refused = await account.region.issue(credentials.clientId, credentials.secret);
    expect(refused.statusCode).toBe(503);
  });
});
