import type { AwsClients } from '../../adapters/aws-clients.ts';
import { createDynamoDbSigningKeyStore } from '../../adapters/dynamodb/signing-key-store.ts';
import type { Environment } from '../../contract/environment.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import type { HttpFunction } from '../shared/http-function.ts';
import { createJwksFunction } from './jwks-function.ts';

export function createJwksHandler(
  environment: Environment<'jwks'>,
  aws: Pick<AwsClients, 'dynamodb'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const store = createDynamoDbSigningKeyStore(aws.dynamodb, environment.AUTH_SIGNING_KEYS_TABLE);
  return createJwksFunction(environment, store, options);
}
