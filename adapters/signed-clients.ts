import { maxSockets } from './aws-client-options.ts';
import { type AwsJsonClient, createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { callProfiles } from './call-profile.ts';

/** The clients of functions that answer requests. Opaque outside this folder. */
export interface SignedClients {
  readonly dynamodb: AwsJsonClient;
  readonly kms: AwsJsonClient;
}

/**
 * Both clients, for requests that somebody waits for.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function createSignedClients(environment: Environment): SignedClients {
  const options = { environment, profile: callProfiles.request, maxSockets };
  return {
    dynamodb: createAwsJsonClient({ service: 'dynamodb', ...options }),
    kms: createAwsJsonClient({ service: 'kms', ...options }),
  };
}
