import { maxSockets } from '../adapters/aws-client-options.ts';
import { callAws } from '../adapters/aws-errors.ts';
import { createAwsJsonClient } from '../adapters/aws-json/aws-json-client.ts';
import type { Environment } from '../adapters/aws-json/endpoint.ts';
import { type CallProfile, callProfiles } from '../adapters/call-profile.ts';
import { credentialChain, profileRegion } from '../adapters/credentials/credential-chain.ts';
import type {
  AwsCredentials,
  CredentialProvider,
} from '../adapters/credentials/credential-provider.ts';
import { batchGets } from '../adapters/dynamodb/clients/batch-gets.ts';
import {
  createBatchGet,
  createJsonCalls,
  rememberItems,
} from '../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbIdentityProviderReader } from '../adapters/dynamodb/items/identity-provider-item.ts';
import { createDynamoDbApiKeyReader } from '../adapters/dynamodb/stores/api-key-store.ts';
import { createApiKeyUseRecorder } from '../adapters/dynamodb/stores/api-key-uses.ts';
import { checkTables } from '../adapters/dynamodb/stores/check-tables.ts';
import { createDynamoDbClientLookup } from '../adapters/dynamodb/stores/client-lookup.ts';
import {
  holdProviders,
  type MonotonicClock,
  rememberFound,
} from '../adapters/dynamodb/stores/remember-found.ts';
import { maxLookupCacheSeconds } from '../contract/bounds.ts';
import { defaultDeploymentName } from '../contract/function-names.ts';
import { probeKey } from '../contract/platform-api-tables.ts';
import {
  parseTableLocation,
  type TableLocation,
  tableLocationHelp,
} from '../contract/table-location.ts';
import { tableName, tables } from '../contract/tables.ts';
import type { ApiKeyReader } from '../core/api-key/api-key.ts';
import { InputError, refuseOption } from '../core/errors.ts';
import type { PortOptions } from '../core/port.ts';
import type { ProviderLookups } from './verifier.ts';

export type {
  AwsCredentials,
  CredentialProvider,
} from '../adapters/credentials/credential-provider.ts';

/** The tables of the look-ups, and how they are read. */
export interface DynamoDbLookupOptions {
  /**
   * The prefix of the authorization server's table names (`tablesName` of its config, or else its
   * `name`), or of their ARNs if they are in another account or region, e.g.
   * `arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server`.
   *
   * @default authorization-server
   */
  readonly tables?: string | undefined;
  /** The default is the region of the ARNs, AWS_REGION, or the profile's region. */
  readonly region?: string | undefined;
  /** The default is AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, or the region's own endpoint. */
  readonly endpointDynamoDb?: string | undefined;
  /**
   * Credentials, or a function that returns them, such as one of the AWS SDK's providers. The
   * default is AWS_PROFILE, the environment's keys, IRSA, the container's role (ECS, EKS Pod
   * Identity), the default profile, or the instance's role. Profiles, IRSA and instance roles need
   * `@aws-sdk/credential-provider-node`.
   */
  readonly credentials?: AwsCredentials | CredentialProvider | undefined;
  /**
   * Seconds for which a record is cached, 0 to 60. When a key, client or provider is disabled or
   * deleted, it continues to work for as long. The record of a provider is cached for 5 at least.
   *
   * @default 0: each credential is looked up
   */
  readonly cacheSeconds?: number | undefined;
  /**
   * The authorization server's table of the days on which API keys were last used, by its name or its
   * ARN, e.g. `authorization-server-api-key-uses`. Each process then reads the day of each value of a
   * key once a day, and records it if no other has, after the check; the check neither waits for it
   * nor fails by it. The role needs `dynamodb:GetItem` and `dynamodb:UpdateItem` on this table.
   *
   * @default none: the last use of API keys is not recorded
   */
  readonly apiKeyUsesTable?: string | undefined;
  /**
   * Runs once if DynamoDB refuses BatchGetItem, e.g. because the role allows only GetItem. Look-ups
   * are then read one by one, and batches are tried again now and then.
   */
  readonly onReadOneByOne?: ((error: unknown) => void) | undefined;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly monotonicClock?: MonotonicClock | undefined;
}

/** Look-ups of a verifier: spread them into the options of `createVerifier`. */
export interface DynamoDbLookups {
  readonly apiKeys: ApiKeyReader;
  readonly providers: ProviderLookups;
  /**
   * Reads each table once, to find a wrong name, region or permission at start.
   *
   * @throws {InputError} if the configuration is wrong. The message says which table and why.
   * @throws {UnavailableError} if DynamoDB does not answer.
   */
  checkTables(): Promise<void>;
  /** Closes the connections to DynamoDB. */
  close(): void;
}

function readLocation(text: string): TableLocation {
  const location = parseTableLocation(text);
  if (location !== undefined) return location;
  return refuseOption('tables', text, tableLocationHelp);
}

function readCacheSeconds(seconds: number): number {
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= maxLookupCacheSeconds) return seconds;
  throw new InputError(`cacheSeconds: received ${seconds}; allowed: 0 to ${maxLookupCacheSeconds}`);
}

function checkRegion({ awsRegion }: TableLocation, region: string | undefined): void {
  if (awsRegion !== undefined && region !== undefined && region !== awsRegion) {
    const allowed = `"${awsRegion}", the region of the tables' ARNs, or nothing`;
    refuseOption('region', region, allowed);
  }
}

function chooseRegion({ awsRegion }: TableLocation, region: string | undefined): string {
  const found = awsRegion ?? region ?? (process.env['AWS_REGION'] || profileRegion(process.env));
  if (found !== undefined) return found;
  return refuseOption('AWS_REGION', undefined, 'an AWS region, or tables given by their ARNs');
}

function toProvider(
  credentials: DynamoDbLookupOptions['credentials'],
  environment: Environment,
): CredentialProvider {
  if (credentials === undefined) return credentialChain(environment);
  return typeof credentials === 'function' ? credentials : () => credentials;
}

function open(location: TableLocation, options: DynamoDbLookupOptions, seconds: number) {
  const { monotonicClock: clock = () => performance.now(), apiKeyUsesTable } = options;
  const awsRegion = chooseRegion(location, options.region);
  const { endpointDynamoDb } = options;
  const environment = {
    ...process.env,
    AWS_REGION: awsRegion,
    ...(endpointDynamoDb !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: endpointDynamoDb }),
  };
  const credentials = toProvider(options.credentials, environment);
  const openClient = (profile: CallProfile) =>
    createAwsJsonClient({ service: 'dynamodb', environment, credentials, profile, maxSockets });
  const client = openClient(callProfiles.request);
  const names = {
    apiKeys: tableName(location.prefix, 'apiKeys'),
    clients: tableName(location.prefix, 'clients'),
    identityProviders: tableName(location.prefix, 'identityProviders'),
  };
  const calls = createJsonCalls(client, rememberItems());
  const uses = apiKeyUsesTable === undefined ? undefined : openClient(callProfiles.optional);
  // On connections of its own: no look-up waits behind it.
  const recordUse = uses && createApiKeyUseRecorder(uses, apiKeyUsesTable ?? '');
  const batched = batchGets(
    { ...calls, batchGet: createBatchGet(client) },
    { onRefused: options.onReadOneByOne },
  );
  const reads = { ...calls, get: batched.get.bind(batched) };
  const apiKeys = createDynamoDbApiKeyReader(reads, names.apiKeys);
  const clients = createDynamoDbClientLookup(reads, names.clients);
  const providers = holdProviders(
    createDynamoDbIdentityProviderReader(reads, names.identityProviders),
    seconds,
    clock,
  );
  type Find<T> = (key: string, port?: PortOptions) => Promise<T | undefined>;
  const remember = <T>(find: Find<T>) => rememberFound(find, seconds, clock);
  return {
    findApiKey: remember((id, port) => apiKeys.findApiKey(id, port)),
    recordUse,
    findClient: remember((id, port) => clients.findClient(id, port)),
    ...providers,
    checkTables: async () => {
      await checkTables(calls, names, awsRegion);
      const Key = { [tables.apiKeys.partitionKey]: probeKey };
      const input = { TableName: names.apiKeys, Key };
      await callAws('DynamoDB', `read items of ${names.apiKeys}`, () => batched.tryBatch(input));
    },
    close: () => {
      client.close();
      uses?.close();
    },
  };
}

/**
 * Look-ups in the authorization server's own tables, with a small client instead of the AWS SDK.
 * The caller's role needs `dynamodb:GetItem` on the tables `clients`, `api-keys` and
 * `identity-providers`. With `dynamodb:BatchGetItem`, look-ups that begin together are one request.
 * Reads are eventually consistent: a change is seen within about a second, and `cacheSeconds` later
 * if there is a cache. The environment is read when the first record is looked up.
 *
 * @throws {InputError} if an option cannot be used.
 *
 * @example
 * const { apiKeys, providers } = createDynamoDbLookups({ region: 'us-west-2', cacheSeconds: 10 });
 * const ofTables = createVerifier({ issuer, audience, apiKeys, providers });
 */
export function createDynamoDbLookups(options: DynamoDbLookupOptions = {}): DynamoDbLookups {
  const seconds = readCacheSeconds(options.cacheSeconds ?? 0);
  const location = readLocation(options.tables ?? defaultDeploymentName);
  checkRegion(location, options.region);
  let opened: ReturnType<typeof open> | undefined;
  // A build such as Next.js's makes verifiers where no region is known.
  const opening = () => (opened ??= open(location, options, seconds));
  return {
    apiKeys: {
      findApiKey: async (id, port) => opening().findApiKey(id, port),
      recordUse: (use, now) => opening().recordUse?.(use, now),
    },
    providers: {
      clients: { findClient: async (id, port) => opening().findClient(id, port) },
      identityProviders: {
        findIdentityProvider: async (id, port) => opening().findIdentityProvider(id, port),
        findGivenKeys: async (issuer) => opening().findGivenKeys(issuer),
      },
    },
    checkTables: async () => opening().checkTables(),
    close: () => opened?.close(),
  };
}
