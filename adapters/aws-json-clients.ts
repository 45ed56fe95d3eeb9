import { tableRegion } from '../contract/table-location.ts';
import { maxSockets } from './aws-client-options.ts';
import { type AwsJsonClient, createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { AwsJsonService, Environment } from './aws-json/endpoint.ts';
import { type CallProfile, callProfiles } from './call-profile.ts';

/** The clients of functions that answer requests. Opaque outside this folder. */
export interface AwsJsonClients {
  readonly dynamodb: AwsJsonClient;
  readonly kms: AwsJsonClient;
  /**
   * Another client of DynamoDB, for calls that a request can do without. It shares neither
   * connections nor retries with the others.
   */
  readonly createOptionalDynamoDb: () => AwsJsonClient;
  readonly close: () => void;
}

function openClient(
  service: AwsJsonService,
  environment: Environment,
  profile: CallProfile = callProfiles.request,
): AwsJsonClient {
  return createAwsJsonClient({ service, environment, profile, maxSockets });
}

/**
 * @param environment the process's variables, by AWS's own names.
 * @param table a table that is read. If it is named by its ARN, the client is one of its AWS region.
 */
export function createJsonDynamoDb(environment: Environment, table = ''): AwsJsonClient {
  const awsRegion = tableRegion(table) ?? environment['AWS_REGION'];
  return openClient('dynamodb', { ...environment, AWS_REGION: awsRegion });
}

/** See {@link AwsJsonClients.createOptionalDynamoDb}. */
export function createOptionalDynamoDb(environment: Environment): AwsJsonClient {
  return openClient('dynamodb', environment, callProfiles.optional);
}

/** Both clients, for requests that a caller waits for; see {@link createJsonDynamoDb}. */
export function createAwsJsonClients(environment: Environment): AwsJsonClients {
  const clients: AwsJsonClient[] = [];
  const open = (service: AwsJsonService, profile?: CallProfile): AwsJsonClient => {
    const client = openClient(service, environment, profile);
    clients.push(client);
    return client;
  };
  return {
    dynamodb: open('dynamodb'),
    kms: open('kms'),
    createOptionalDynamoDb: () => open('dynamodb', callProfiles.optional),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
