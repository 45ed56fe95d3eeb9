import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/client-store.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { defaultTokenLifetime } from '../../contract/limits.ts';
import type { ClientStore } from '../../core/client/client-store.ts';
import {
  formatClientSecret,
  formatId,
  idBytes,
  secretBytes,
} from '../../core/credential/credential-value.ts';
import { hashSecret, matchesHash } from '../../core/credential/secret-hash.ts';
import { writePrivateFile } from '../emulator/private-file.ts';

/** The demonstration client with its secret. */
export interface DemoClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

const scopes = ['messaging:view', 'messaging:manage'];

function isDemoClient(value: unknown): value is DemoClient {
  const { clientId, clientSecret } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof clientId === 'string' && typeof clientSecret === 'string';
}

function readKept(path: string): DemoClient | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isDemoClient(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function stillWorks(client: DemoClient, store: ClientStore): Promise<boolean> {
  const found = await store.findClient(client.clientId);
  return found?.secrets.some((secret) => matchesHash(client.clientSecret, secret.hash)) ?? false;
}

async function createDemoClient(store: ClientStore, now: number): Promise<DemoClient> {
  const clientId = formatId('client', randomBytes(idBytes));
  const clientSecret = formatClientSecret(randomBytes(secretBytes));
  await store.createClient({
    clientId,
    name: 'Demonstration',
    serviceTrunkGroup: 'demo',
    audiences: [],
    tokenLifetime: defaultTokenLifetime,
    scopes,
    enabled: true,
    secrets: [
      {
        secretId: formatId('secret', randomBytes(idBytes)),
        hash: hashSecret(clientSecret),
        name: 'demo.env',
        createdAt: now,
      },
    ],
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  return { clientId, clientSecret };
}

/**
 * The demonstration client of a state folder: the one of the last run, or a new one if that
 * was deleted, lost its secret, or cannot be read.
 *
 * @param path private file that keeps id and secret over restarts.
 */
export async function seedDemoClient(
  path: string,
  clientOptions: AwsClientOptions,
  table: string,
): Promise<DemoClient> {
  const dynamodb = createDynamoDbClient(clientOptions);
  try {
    const store = createDynamoDbClientStore(dynamodb, table, { consistentRead: true });
    const kept = readKept(path);
    if (kept !== undefined && (await stillWorks(kept, store))) return kept;
    const created = await createDemoClient(store, Math.floor(Date.now() / 1000));
    writePrivateFile(path, `${JSON.stringify(created)}\n`);
    return created;
  } finally {
    dynamodb.destroy();
  }
}
