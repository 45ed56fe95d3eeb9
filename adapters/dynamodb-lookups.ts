import { tableName } from '../contract/tables.ts';
import type { ApiKeyReader } from '../core/api-key/api-key-store.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import { createDynamoDbApiKeyReader } from './dynamodb/api-key-reader.ts';
import { createDynamoDbClientReader } from './dynamodb/client-reader.ts';
import { createDynamoDbClient } from './dynamodb/dynamodb-client.ts';
import { createDynamoDbIdentityProviderReader } from './dynamodb/identity-provider-reader.ts';
import { createSdkCalls } from './dynamodb/sdk-calls.ts';
import type { ProviderLookups } from './verifier.ts';

export interface DynamoDbLookupOptions extends AwsClientOptions {
  /**
   * Prefix of the authorization server's tables: `tablesName` of its config, or else its name.
   */
  readonly deploymentName?: string | undefined;
}

/** Look-ups of a verifier: spread them into the options of `createVerifier`. */
export interface DynamoDbLookups {
  readonly apiKeys: ApiKeyReader;
  readonly providers: ProviderLookups;
}

/**
 * Look-ups in the authorization server's own tables. The caller's role needs `dynamodb:GetItem`
 * on the tables `clients`, `api-keys` and `identity-providers`, and nothing else. Reads are
 * eventually consistent: a change is seen within about a second.
 */
export function createDynamoDbLookups(options: DynamoDbLookupOptions = {}): DynamoDbLookups {
  const { deploymentName = 'authorization-server', ...client } = options;
  const calls = createSdkCalls(createDynamoDbClient(client));
  return {
    apiKeys: createDynamoDbApiKeyReader(calls, tableName(deploymentName, 'apiKeys')),
    providers: {
      clients: createDynamoDbClientReader(calls, tableName(deploymentName, 'clients')),
      identityProviders: createDynamoDbIdentityProviderReader(
        calls,
        tableName(deploymentName, 'identityProviders'),
      ),
    },
  };
}
