import { type AwsClientOptions, maxSockets } from './aws-client-options.ts';
import { type AwsJsonClient, createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { AwsJsonService, Environment } from './aws-json/endpoint.ts';
import { callProfiles } from './call-profile.ts';

/** The clients of functions that answer requests. Opaque outside this folder. */
export interface SignedClients {
  readonly dynamodb: AwsJsonClient;
  readonly kms: AwsJsonClient;
}

function createSignedClient(service: AwsJsonService, environment: Environment): AwsJsonClient {
  return createAwsJsonClient({ service, environment, profile: callProfiles.request, maxSockets });
}

/** @param environment the process's variables, by AWS's own names. */
export function createSignedDynamoDb(environment: Environment): AwsJsonClient {
  return createSignedClient('dynamodb', environment);
}

/** Both clients, for requests that somebody waits for; see {@link createSignedDynamoDb}. */
export function createSignedClients(environment: Environment): SignedClients {
  return {
    dynamodb: createSignedDynamoDb(environment),
    kms: createSignedClient('kms', environment),
  };
}

/** Options of the SDK's clients as the variables that the signed ones read. */
export function toVariables(options: AwsClientOptions): Environment {
  const { credentials } = options;
  return {
    AWS_REGION: options.region,
    AWS_ENDPOINT_URL_DYNAMODB: options.endpointDynamoDb,
    AWS_ENDPOINT_URL_KMS: options.endpointKms,
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey,
    AWS_SESSION_TOKEN: credentials?.sessionToken,
  };
}
