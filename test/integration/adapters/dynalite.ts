import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

export type Dynalite = RunningService;

/** An empty DynamoDB in this process, on a free loopback port. */
export function startDynalite(): Promise<Dynalite> {
  return startDynamoDb({ accessKey: testAccessKey });
}

/** For clients of servers on loopback that a test started. */
export function testAwsOptions(endpoint: string): AwsClientOptions {
  return {
    region: 'us-west-2',
    endpointDynamoDb: endpoint,
    endpointKms: endpoint,
    credentials: testAccessKey,
  };
}

/** The same for clients that read the environment. */
export function testAwsEnvironment(endpoint: string): Readonly<Record<string, string>> {
  return {
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
  };
}
