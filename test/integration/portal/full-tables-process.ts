import { randomBytes } from 'node:crypto';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { toApiKeyItem } from '../../../adapters/dynamodb/api-key-item.ts';
import { toAuditItem } from '../../../adapters/dynamodb/audit-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/client-item.ts';
import { createTables } from '../../../adapters/dynamodb/create-tables.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/identity-provider-item.ts';
import { type TableKey, tableName } from '../../../contract/tables.ts';
import { formatId, type IdKind, idBytes } from '../../../core/credential/credential-value.ts';
import { hashSecret } from '../../../core/credential/secret-hash.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import type { FullTables, FullTablesSize } from './full-tables.ts';

const now = Math.floor(Date.now() / 1000);
const day = 86_400;
const issuer = 'https://idp-0.example.com';
const newId = (kind: IdKind) => formatId(kind, randomBytes(idBytes));
const hash = hashSecret('a value that nothing has');

/** Every tenth has a secret that expires soon, every tenth is under a provider. */
function clientOf(index: number) {
  const isUnderProvider = index % 10 === 5;
  const secret = {
    secretId: newId('secret'),
    hash,
    name: `release ${index}`,
    createdAt: now - 100 * day,
    expiresAt: index % 10 === 0 ? now + 3 * day : now + 200 * day,
    lastUsedOn: new Date((now - day) * 1000).toISOString().slice(0, 10),
  };
  return makeClient({
    clientId: newId('client'),
    name: `Billing of customer ${index}`,
    serviceTrunkGroup: `tg-${1000 + (index % 500)}`,
    audiences: ['https://api.example.com'],
    secrets: isUnderProvider ? [] : [secret],
    createdAt: now - 100 * day,
    updatedAt: now - day,
    ...(isUnderProvider && {
      provider: { issuer, registrationId: 'r1', externalClientId: `erp-${index}` },
    }),
  });
}

function apiKeyOf(index: number) {
  const subnet = { subnetId: newId('subnet'), name: 'office', address: '203.0.113.0' };
  return {
    keyId: newId('apiKey'),
    hash,
    name: `Person ${index}`,
    enabled: true,
    serviceTrunkGroup: `tg-${1000 + (index % 500)}`,
    subnets: index % 2 === 0 ? [{ ...subnet, prefixLength: 24 }] : [],
    version: 1,
    createdAt: now - 100 * day,
    updatedAt: now - day,
  };
}

function providerOf(index: number) {
  const name = `https://idp-${index}.example.com`;
  return {
    issuer: name,
    registrationId: 'r1',
    discoveryUrl: `${name}/.well-known/openid-configuration`,
    jwksUri: `${name}/keys`,
    allowedAlgorithms: ['RS256', 'ES256'],
    registeredAt: now - 100 * day,
  };
}

function recordOf(index: number) {
  return {
    time: new Date(now * 1000).toISOString(),
    recordId: `${newId('client')}-1-intended`,
    actor: 'arn:aws:sts::123456789012:assumed-role/Operators/ada@example.com',
    action: 'client.update',
    subject: newId('client'),
    outcome: 'intended' as const,
    before: { name: `Billing ${index}`, scopes: ['messaging:view'] },
    after: { name: `Billing EU ${index}`, scopes: ['messaging:view', 'calls:view'] },
  };
}

/** What DynamoDB takes in one call. */
const batchSize = 25;

async function fill(dynamodb: DynamoDBDocument, key: TableKey, items: readonly object[]) {
  const puts = items.map((Item) => ({ PutRequest: { Item: Item as Record<string, unknown> } }));
  while (puts.length > 0) {
    const batch = puts.splice(0, batchSize);
    await dynamodb.batchWrite({ RequestItems: { [tableName('test', key)]: batch } });
  }
}

const listOf = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index));

async function start(size: FullTablesSize): Promise<FullTables> {
  const { endpoint } = await startDynamoDb({ accessKey: testAccessKey });
  const dynamodb = createDynamoDbClient(testAwsOptions(endpoint));
  await createTables(dynamodb, 'test');
  const clients = listOf(size.clients, clientOf);
  const keys = listOf(size.apiKeys, apiKeyOf);
  await fill(dynamodb, 'clients', clients.map(toClientItem));
  await fill(dynamodb, 'apiKeys', keys.map(toApiKeyItem));
  const providers = listOf(size.providers, providerOf).map(toIdentityProviderItem);
  await fill(dynamodb, 'identityProviders', providers);
  await fill(dynamodb, 'audit', listOf(size.changes, recordOf).map(toAuditItem));
  const [client] = clients;
  const [key] = keys;
  return {
    endpoint,
    clientId: client?.clientId ?? '',
    secretId: client?.secrets[0]?.secretId ?? '',
    keyId: key?.keyId ?? '',
    subnetId: key?.subnets[0]?.subnetId ?? '',
    issuer,
  };
}

process.on('disconnect', () => process.exit());
process.send?.(await start(JSON.parse(process.argv[2] ?? '{}') as FullTablesSize));
