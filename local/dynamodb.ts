import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import type { AccessKey } from './aws-server/access-key.ts';
import { createAwsListener, type VerifiedRequest } from './aws-server/aws-server.ts';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';

export interface DynamoDbOptions {
  /** Only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** Where the items are kept. Left out: in memory only. */
  readonly directory?: string;
  /** Left out: a free one. */
  readonly port?: PortChoice;
}

export interface RunningDynamoDb {
  readonly port: number;
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** DynamoDB's quota. */
const maxRequestBytes = 16 * 1024 * 1024;

/** A request whose body was read, as dynalite takes it. */
function replay({ method, url, headers, body }: VerifiedRequest): IncomingMessage {
  const request = Object.assign(Readable.from([body]), { method, url, headers });
  return request as unknown as IncomingMessage;
}

/** Starts a server that speaks DynamoDB's protocol on loopback. */
export async function startDynamoDb(options: DynamoDbOptions): Promise<RunningDynamoDb> {
  const { accessKey, directory } = options;
  // Tables are there at once: nothing is tested by waiting for CREATING to pass.
  const settings = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const server = dynalite(directory === undefined ? settings : { ...settings, path: directory });
  const [listener] = server.listeners('request') as unknown as readonly RequestListener[];
  // dynalite verifies no signature, answers browsers with CORS headers, and ends the process if a
  // caller goes away amid its request. It sees only whole requests that were verified.
  server.removeAllListeners('request');
  const answer = (request: VerifiedRequest, response: ServerResponse) =>
    listener?.(replay(request), response);
  server.on(
    'request',
    createAwsListener({ service: 'dynamodb', accessKey, maxRequestBytes, answer }),
  );
  const port = await listenOnLoopback(server, options.port ?? { port: 0 }, 'DynamoDB server');
  return {
    port,
    endpoint: `http://${loopbackHost}:${port}`,
    close: () => closeServer(server),
  };
}
