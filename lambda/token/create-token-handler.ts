import { createDynamoDbClientReader } from '../../adapters/dynamodb/client-reader.ts';
import { createSignedCalls } from '../../adapters/dynamodb/signed-calls.ts';
import { createDynamoDbSigningKeyReader } from '../../adapters/dynamodb/signing-key-reader.ts';
import { createSignedKmsSign } from '../../adapters/kms/signed-kms-sign.ts';
import type { SignedClients } from '../../adapters/signed-clients.ts';
import type { Environment } from '../../contract/environment.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import { createTokenFunction, type TokenFunction } from './token-function.ts';

export function createTokenHandler(
  environment: Environment<'token'>,
  aws: SignedClients,
  options: Partial<FunctionOptions> = {},
): TokenFunction {
  const { AUTH_CLIENTS_TABLE, AUTH_SIGNING_KEYS_TABLE } = environment;
  const calls = createSignedCalls(aws.dynamodb);
  const clients = createDynamoDbClientReader(calls, AUTH_CLIENTS_TABLE);
  const signingKeys = createDynamoDbSigningKeyReader(calls, AUTH_SIGNING_KEYS_TABLE);
  const ports = { clients, secretUses: clients, signingKeys, sign: createSignedKmsSign(aws.kms) };
  return createTokenFunction(environment, ports, options);
}
