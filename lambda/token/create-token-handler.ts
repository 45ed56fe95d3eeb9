import type { AwsClients } from '../../adapters/aws-clients.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/client-store.ts';
import { createDynamoDbSigningKeyStore } from '../../adapters/dynamodb/signing-key-store.ts';
import { createKmsSign } from '../../adapters/kms/kms-sign.ts';
import type { Environment } from '../../contract/environment.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import { createTokenFunction, type TokenFunction } from './token-function.ts';

export function createTokenHandler(
  environment: Environment<'token'>,
  aws: AwsClients,
  options: Partial<FunctionOptions> = {},
): TokenFunction {
  const { AUTH_CLIENTS_TABLE, AUTH_SIGNING_KEYS_TABLE } = environment;
  const clients = createDynamoDbClientStore(aws.dynamodb, AUTH_CLIENTS_TABLE);
  const signingKeys = createDynamoDbSigningKeyStore(aws.dynamodb, AUTH_SIGNING_KEYS_TABLE);
  const ports = { clients, secretUses: clients, signingKeys, sign: createKmsSign(aws.kms) };
  return createTokenFunction(environment, ports, options);
}
