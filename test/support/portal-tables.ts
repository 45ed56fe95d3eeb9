import { randomBytes } from 'node:crypto';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { type TableKey, tableName } from '../../contract/tables.ts';
import {
  formatId,
  hashSecret,
  type IdKind,
  idBytes,
} from '../../core/credential/credential-value.ts';
import { makeClient } from '../../lab/support/clients.ts';

/** What full tables hold, and how it gets there fast: by batches, without management. */

const now = Math.floor(Date.now() / 1000);
const day = 86_400;
export const issuer = 'https://idp-0.example.com';
const newId = (kind: IdKind) => formatId(kind, randomBytes(idBytes));
const hash = hashSecret('a value that nothing has');

/** Every tenth has a secret that expires soon, every tenth is under a provider. */
export function clientOf(index: number, serviceTrunkGroup = `tg-${1000 + (index % 500)}`) {
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
    serviceTrunkGroup,
    audiences: ['https://api.example.com'],
    secrets: isUnderProvider ? [] : [secret],
    createdAt: now - 100 * day,
    updatedAt: now - day,
    ...(isUnderProvider && {
      provider: { issuer, registrationId: 'r1', externalClientId: `erp-${index}` },
    }),
  });
}

export function apiKeyOf(index: number) {
  const subnet = { subnetId: newId('subnet'), name: 'office', address: '203.0.113.0' };
  return {
    keyId: newId('apiKey'),
    hash,
    name: `Person ${index}`,
    serviceTrunkGroup: `tg-${1000 + (index % 500)}`,
    subnets: index % 2 === 0 ? [{ ...subnet, prefixLength: 24 }] : [],
    version: 1,
    createdAt: now - 100 * day,
    updatedAt: now - day,
  };
}

export function providerOf(index: number) {
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

export function recordOf(index: number) {
  return {
    // Changes are made one after another.
    time: new Date(now * 1000 - index).toISOString(),
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

/** @param name of the deployment. */
export async function fill(
  dynamodb: DynamoDBDocument,
  name: string,
  key: TableKey,
  items: readonly object[],
): Promise<void> {
  const puts = items.map((Item) => ({ PutRequest: { Item: Item as Record<string, unknown> } }));
  while (puts.length > 0) {
    const batch = puts.splice(0, batchSize);
    await dynamodb.batchWrite({ RequestItems: { [tableName(name, key)]: batch } });
  }
}

export const listOf = <T>(length: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => make(index));
