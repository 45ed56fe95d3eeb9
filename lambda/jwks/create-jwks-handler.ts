import { createLeanCalls } from '../../adapters/dynamodb/lean-calls.ts';
import { createDynamoDbSigningKeyReader } from '../../adapters/dynamodb/signing-key-reader.ts';
import type { LeanClients } from '../../adapters/lean-clients.ts';
import type { Environment } from '../../contract/environment.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import type { HttpFunction } from '../shared/http-function.ts';
import { createJwksFunction } from './jwks-function.ts';

export function createJwksHandler(
  environment: Environment<'jwks'>,
  aws: Pick<LeanClients, 'dynamodb'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const calls = createLeanCalls(aws.dynamodb);
  const signingKeys = createDynamoDbSigningKeyReader(calls, environment.AUTH_SIGNING_KEYS_TABLE);
  return createJwksFunction(environment, signingKeys, options);
}
