import type { IncomingMessage } from 'node:http';
import dynalite from 'dynalite';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';

export interface DynamoDbOptions {
  /** Where the items are kept; in memory alone where left out. */
  readonly directory?: string;
  /** A free one where left out. */
  readonly port?: PortChoice;
}

export interface RunningDynamoDb {
  readonly port: number;
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** dynalite throws, and so ends the process, when a caller goes away amid its request. */
function outliveBrokenRequest(request: IncomingMessage): void {
  request.removeAllListeners('error');
  request.on('error', () => request.destroy());
}

/** Starts a server that speaks DynamoDB's protocol on loopback. */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<RunningDynamoDb> {
  // Tables are there at once: nothing is tested by waiting for CREATING to pass.
  const settings = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const server = dynalite(
    options.directory === undefined ? settings : { ...settings, path: options.directory },
  );
  server.on('request', outliveBrokenRequest);
  const port = await listenOnLoopback(server, options.port ?? { port: 0 }, 'DynamoDB server');
  return {
    port,
    endpoint: `http://${loopbackHost}:${port}`,
    close: () => closeServer(server),
  };
}
