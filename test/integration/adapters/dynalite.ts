import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';

/** An empty DynamoDB in this process, on a free loopback port. */
export interface Dynalite {
  readonly endpoint: string;
  close(): Promise<void>;
}

export async function startDynalite(): Promise<Dynalite> {
  const server: Server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** For clients of a server on loopback, which verifies no signature. */
export function testAwsOptions(endpoint: string): AwsClientOptions {
  return {
    region: 'us-west-2',
    endpointDynamoDb: endpoint,
    endpointKms: endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
}

/** The same for clients that read the environment. */
export function testAwsEnvironment(endpoint: string): Readonly<Record<string, string>> {
  return {
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}
