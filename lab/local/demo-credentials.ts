import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbApiKeyStore } from '../../adapters/dynamodb/api-key-store.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/client-store.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { defaultTokenLifetime } from '../../contract/limits.ts';
import { tableName } from '../../contract/tables.ts';
import {
  formatApiKeyValue,
  formatClientSecret,
  formatId,
  idBytes,
  readApiKeyId,
  secretBytes,
} from '../../core/credential/credential-value.ts';
import { hashSecret, matchesHash } from '../../core/credential/secret-hash.ts';
import { writePrivateFile } from '../emulator/private-file.ts';
import type { StatePaths } from './state.ts';

const demoClientSchema = v.object({ clientId: v.string(), clientSecret: v.string() });

/** The demonstration client with its secret. */
export type DemoClient = Readonly<v.InferOutput<typeof demoClientSchema>>;

type DynamoDb = ReturnType<typeof createDynamoDbClient>;

/** A credential that a private file keeps over restarts, as text. */
interface Kept {
  /** False if the text is empty, or the record in the table has gone or does not fit. */
  readonly stillWorks: (text: string) => Promise<boolean>;
  readonly create: (now: number) => Promise<string>;
}

async function seed(path: string, { stillWorks, create }: Kept): Promise<string> {
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (await stillWorks(kept)) return kept;
  const created = await create(Math.floor(Date.now() / 1000));
  writePrivateFile(path, `${created}\n`);
  return created;
}

const common = { enabled: true, serviceTrunkGroup: 'demo', name: 'Demonstration', version: 1 };

function parseClient(text: string): DemoClient | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), demoClientSchema), text);
  return parsed.success ? parsed.output : undefined;
}

function demoClient(dynamodb: DynamoDb, table: string): Kept {
  const store = createDynamoDbClientStore(dynamodb, table, { consistentRead: true });
  return {
    async stillWorks(text) {
      const client = parseClient(text);
      if (client === undefined) return false;
      const found = await store.findClient(client.clientId);
      return found?.secrets.some(({ hash }) => matchesHash(client.clientSecret, hash)) ?? false;
    },
    async create(now) {
      const clientId = formatId('client', randomBytes(idBytes));
      const clientSecret = formatClientSecret(randomBytes(secretBytes));
      const secretId = formatId('secret', randomBytes(idBytes));
      const hash = hashSecret(clientSecret);
      await store.createClient({
        ...common,
        clientId,
        audiences: [],
        tokenLifetime: defaultTokenLifetime,
        scopes: ['messaging:view', 'messaging:manage'],
        secrets: [{ secretId, hash, name: 'demo.env', createdAt: now }],
        createdAt: now,
        updatedAt: now,
      });
      return JSON.stringify({ clientId, clientSecret });
    },
  };
}

function demoApiKey(dynamodb: DynamoDb, table: string): Kept {
  const store = createDynamoDbApiKeyStore(dynamodb, table, { consistentRead: true });
  return {
    async stillWorks(value) {
      const keyId = readApiKeyId(value);
      const found = keyId === undefined ? undefined : await store.findApiKey(keyId);
      return found !== undefined && matchesHash(value, found.hash);
    },
    async create(now) {
      const keyId = formatId('apiKey', randomBytes(idBytes));
      const value = formatApiKeyValue(keyId, randomBytes(secretBytes));
      const hash = hashSecret(value);
      await store.createApiKey({
        ...common,
        keyId,
        hash,
        subnets: [],
        createdAt: now,
        updatedAt: now,
      });
      return value;
    },
  };
}

/**
 * The demonstration client and API key of a state folder: those of the last run, or new ones if
 * they were deleted, lost their secret, or cannot be read.
 */
export async function seedDemo(
  deploymentName: string,
  clientOptions: AwsClientOptions,
  paths: StatePaths,
): Promise<{ readonly client: DemoClient; readonly apiKey: string }> {
  const dynamodb = createDynamoDbClient(clientOptions);
  try {
    const clients = demoClient(dynamodb, tableName(deploymentName, 'clients'));
    const apiKeys = demoApiKey(dynamodb, tableName(deploymentName, 'apiKeys'));
    const client = v.parse(demoClientSchema, JSON.parse(await seed(paths.demoClient, clients)));
    return { client, apiKey: await seed(paths.demoApiKey, apiKeys) };
  } finally {
    dynamodb.destroy();
  }
}
