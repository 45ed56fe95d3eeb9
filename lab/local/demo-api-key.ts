import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbApiKeyStore } from '../../adapters/dynamodb/api-key-store.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import type { ApiKeyStore } from '../../core/api-key/api-key-store.ts';
import {
  formatApiKeyValue,
  formatId,
  idBytes,
  readApiKeyId,
  secretBytes,
} from '../../core/credential/credential-value.ts';
import { hashSecret, matchesHash } from '../../core/credential/secret-hash.ts';
import { writePrivateFile } from '../emulator/private-file.ts';

async function stillWorks(value: string, store: ApiKeyStore): Promise<boolean> {
  const keyId = readApiKeyId(value);
  const found = keyId === undefined ? undefined : await store.findApiKey(keyId);
  return found !== undefined && matchesHash(value, found.hash);
}

async function createDemoApiKey(store: ApiKeyStore, now: number): Promise<string> {
  const keyId = formatId('apiKey', randomBytes(idBytes));
  const value = formatApiKeyValue(keyId, randomBytes(secretBytes));
  await store.createApiKey({
    keyId,
    hash: hashSecret(value),
    name: 'Demonstration',
    enabled: true,
    serviceTrunkGroup: 'demo',
    subnets: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  return value;
}

/**
 * The demonstration API key of a state folder: the one of the last run, or a new one if that
 * was deleted.
 *
 * @param path private file that keeps the value over restarts.
 */
export async function seedDemoApiKey(
  path: string,
  clientOptions: AwsClientOptions,
  table: string,
): Promise<string> {
  const dynamodb = createDynamoDbClient(clientOptions);
  try {
    const store = createDynamoDbApiKeyStore(dynamodb, table, { consistentRead: true });
    const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (await stillWorks(kept, store)) return kept;
    const created = await createDemoApiKey(store, Math.floor(Date.now() / 1000));
    writePrivateFile(path, `${created}\n`);
    return created;
  } finally {
    dynamodb.destroy();
  }
}
