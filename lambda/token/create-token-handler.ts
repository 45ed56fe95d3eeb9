import { createDynamoDbClientReader } from '../../adapters/dynamodb/client-reader.ts';
import { createLeanCalls } from '../../adapters/dynamodb/lean-calls.ts';
import { createDynamoDbSigningKeyReader } from '../../adapters/dynamodb/signing-key-reader.ts';
import { createLeanKmsSign } from '../../adapters/kms/lean-kms-sign.ts';
import type { LeanClients } from '../../adapters/lean-clients.ts';
import type { Environment } from '../../contract/environment.ts';
import type { FunctionOptions } from '../shared/function-options.ts';
import { createTokenFunction, type TokenFunction } from './token-function.ts';

export function createTokenHandler(
  environment: Environment<'token'>,
  aws: LeanClients,
  options: Partial<FunctionOptions> = {},
): TokenFunction {
  const { AUTH_CLIENTS_TABLE, AUTH_SIGNING_KEYS_TABLE } = environment;
  const calls = createLeanCalls(aws.dynamodb);
  const clients = createDynamoDbClientReader(calls, AUTH_CLIENTS_TABLE);
  const signingKeys = createDynamoDbSigningKeyReader(calls, AUTH_SIGNING_KEYS_TABLE);
  const ports = { clients, secretUses: clients, signingKeys, sign: createLeanKmsSign(aws.kms) };
  return createTokenFunction(environment, ports, options);
}
