import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbApiKeyStore } from '../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/stores/client-store.ts';
import { deployedTableName } from '../../contract/tables.ts';
import {
  formatApiKeyValue,
  formatClientSecret,
  formatId,
  hashSecret,
  idBytes,
  readApiKeyId,
  secretBytes,
} from '../../core/credential/credential-value.ts';
import { writePrivateFile } from '../emulator/private-file.ts';
import { forSetUp } from './local-aws-options.ts';
import type { LocalDeployment } from './local-deployment.ts';
import type { StatePaths } from './state.ts';

const demoClientSchema = v.object({
  clientId: v.string(),
  clientSecret: v.string(),
  /** What the config of the last run gave it. A person may have changed the client since. */
  given: v.optional(v.object({ scopes: v.array(v.string()), tokenLifetime: v.number() })),
});

type KeptClient = Readonly<v.InferOutput<typeof demoClientSchema>>;

/** The demonstration client with its secret. */
type DemoClient = Pick<KeptClient, 'clientId' | 'clientSecret'>;

type DynamoDb = ReturnType<typeof createDynamoDbClient>;

/** A credential that a private file keeps over restarts, as text. Times are seconds. */
interface Kept {
  /**
   * The text, brought up to date. Undefined if it is empty, or the record in the table has gone or
   * does not fit.
   */
  readonly keep: (text: string, now: number) => Promise<string | undefined>;
  readonly create: (now: number) => Promise<string>;
}

async function seed(path: string, { keep, create }: Kept): Promise<string> {
  const before = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  const now = Math.floor(Date.now() / 1000);
  const text = (await keep(before, now)) ?? (await create(now));
  if (text !== before) writePrivateFile(path, `${text}\n`);
  return text;
}

const common = { serviceTrunkGroup: 'demo', name: 'Demonstration', version: 1 };

function parseClient(text: string): KeptClient | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), demoClientSchema), text);
  return parsed.success ? parsed.output : undefined;
}

function demoClient(dynamodb: DynamoDb, { config, demoScopes }: LocalDeployment): Kept {
  const table = deployedTableName(config, 'clients');
  const store = createDynamoDbClientStore(dynamodb, table, { consistentRead: true });
  const given = { scopes: [...demoScopes], tokenLifetime: config.tokenLifetime.default };
  return {
    async keep(text, now) {
      const client = parseClient(text);
      if (client === undefined) return undefined;
      const { clientId, clientSecret } = client;
      const found = await store.find(clientId);
      const known = hashSecret(clientSecret);
      if (!found?.secrets.some(({ hash }) => hash === known)) return undefined;
      if (isDeepStrictEqual(client.given, given)) return text;
      await store.replace({ ...found, ...given, version: found.version + 1, updatedAt: now });
      return JSON.stringify({ clientId, clientSecret, given });
    },
    async create(now) {
      const clientId = formatId('client', randomBytes(idBytes));
      const clientSecret = formatClientSecret(randomBytes(secretBytes));
      const secretId = formatId('secret', randomBytes(idBytes));
      const hash = hashSecret(clientSecret);
      await store.create({
        ...common,
        ...given,
        clientId,
        audiences: [],
        secrets: [{ secretId, hash, name: 'demo.env', createdAt: now }],
        createdAt: now,
        updatedAt: now,
      });
      return JSON.stringify({ clientId, clientSecret, given });
    },
  };
}

function demoApiKey(dynamodb: DynamoDb, { config }: LocalDeployment): Kept {
  const table = deployedTableName(config, 'apiKeys');
  const store = createDynamoDbApiKeyStore(dynamodb, table, { consistentRead: true });
  return {
    async keep(value) {
      const keyId = readApiKeyId(value);
      const found = keyId === undefined ? undefined : await store.find(keyId);
      return found !== undefined && found.hash === hashSecret(value) ? value : undefined;
    },
    async create(now) {
      const keyId = formatId('apiKey', randomBytes(idBytes));
      const value = formatApiKeyValue(keyId, randomBytes(secretBytes));
      const hash = hashSecret(value);
      await store.create({ ...common, keyId, hash, subnets: [], createdAt: now, updatedAt: now });
      return value;
    },
  };
}

/**
 * The demonstration client and API key of a state folder: those of the last run, or new ones if
 * they were deleted, lost their secret, or cannot be read. The client follows the config: it gets
 * its scopes and lifetime again when these have changed.
 */
export async function seedDemo(
  deployment: LocalDeployment,
  clientOptions: AwsClientOptions,
  paths: StatePaths,
): Promise<{ readonly client: DemoClient; readonly apiKey: string }> {
  const dynamodb = createDynamoDbClient(forSetUp(clientOptions));
  try {
    const text = await seed(paths.demoClient, demoClient(dynamodb, deployment));
    const { clientId, clientSecret } = v.parse(demoClientSchema, JSON.parse(text));
    const apiKey = await seed(paths.demoApiKey, demoApiKey(dynamodb, deployment));
    return { client: { clientId, clientSecret }, apiKey };
  } finally {
    dynamodb.destroy();
  }
}
