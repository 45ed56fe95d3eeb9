import { createDynamoDbApiKeyReader } from '../../adapters/dynamodb/api-key-reader.ts';
import { createDynamoDbClientReader } from '../../adapters/dynamodb/client-reader.ts';
import { createDynamoDbIdentityProviderReader } from '../../adapters/dynamodb/identity-provider-reader.ts';
import { createLeanCalls } from '../../adapters/dynamodb/lean-calls.ts';
import { createFetchKeySet } from '../../adapters/https/fetch-key-set.ts';
import { createGuardedFetch } from '../../adapters/https/guarded-fetch.ts';
import type { LeanClients } from '../../adapters/lean-clients.ts';
import type { Environment } from '../../contract/environment.ts';
import { jwksPath } from '../../contract/routes.ts';
import { JwksCache } from '../../core/verifier/jwks-cache.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import { type AuthorizerFunction, createAuthorizerFunction } from './authorizer-function.ts';

export interface AuthorizerOptions extends FunctionOptions {
  /** Certificates to trust besides those of Node, PEM. For the local run and tests. */
  readonly ca: string | undefined;
}

export function createAuthorizerHandler(
  environment: Environment<'authorizer'>,
  aws: Pick<LeanClients, 'dynamodb'>,
  options: Partial<AuthorizerOptions> = {},
): AuthorizerFunction {
  const calls = createLeanCalls(aws.dynamodb);
  const issuer = environment.AUTH_ISSUER;
  const fetchProvider = createGuardedFetch({
    allowLoopback: environment.AUTH_ALLOW_LOOPBACK_PROVIDERS === '1',
    ca: options.ca,
  });
  const own = { issuer, jwksUri: `${issuer}${jwksPath}`, ca: options.ca };
  const fetchJwks = createFetchKeySet(own, fetchProvider);
  const ports = {
    jwks: new JwksCache(fetchJwks),
    apiKeys: createDynamoDbApiKeyReader(calls, environment.AUTH_API_KEYS_TABLE),
    clients: createDynamoDbClientReader(calls, environment.AUTH_CLIENTS_TABLE),
    identityProviders: createDynamoDbIdentityProviderReader(
      calls,
      environment.AUTH_IDENTITY_PROVIDERS_TABLE,
    ),
  };
  return createAuthorizerFunction(environment, ports, options);
}
