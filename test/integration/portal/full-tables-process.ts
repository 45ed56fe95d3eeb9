import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import {
  apiKeyOf,
  clientOf,
  fill,
  issuer,
  listOf,
  providerOf,
  recordOf,
} from '../../support/portal-tables.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import type { FullTables, FullTablesSize } from './full-tables.ts';

async function start(size: FullTablesSize): Promise<FullTables> {
  const { endpoint } = await startDynamoDb({ accessKey: testAccessKey });
  const dynamodb = createDynamoDbClient(testAwsOptions(endpoint));
  await createTables(dynamodb, 'test');
  const clients = listOf(size.clients, clientOf);
  const keys = listOf(size.apiKeys, apiKeyOf);
  await fill(dynamodb, 'test', 'clients', clients.map(toClientItem));
  await fill(dynamodb, 'test', 'apiKeys', keys.map(toApiKeyItem));
  const providers = listOf(size.providers, providerOf).map(toIdentityProviderItem);
  await fill(dynamodb, 'test', 'identityProviders', providers);
  await fill(dynamodb, 'test', 'audit', listOf(size.changes, recordOf).map(toAuditItem));
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
