import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  closeServer,
  listenOnLoopback,
  loopbackHost,
  type PortChoice,
} from '../loopback-server.ts';
import { BodyTooLargeError, readBody } from '../request-body.ts';
import type { KmsInput } from './input.ts';
import { KeyStore } from './key-store.ts';
import { KmsError } from './kms-error.ts';
import { operations } from './operations.ts';

export interface KmsOptions {
  /** Where the keys are kept, private halves included; in memory alone where left out. */
  readonly directory?: string;
  /** A free one where left out. */
  readonly port?: PortChoice;
  /** Clock of waiting periods, in milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface RunningKms {
  readonly port: number;
  /** For `AWS_ENDPOINT_URL_KMS`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** The largest request, CreateKey with a policy of 32 KiB in JSON escapes, is far below. */
const maxRequestBytes = 256 * 1024;

const targetPattern = /^TrentService\.(\w+)$/;
/** The scope of a Signature Version 4: key id, date, region, service. */
const credentialPattern =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/\d{8}\/([a-z0-9-]+)\/kms\/aws4_request,/;

/** Signatures are not verified, but the region they name is the region of the keys. */
function readRegion(request: IncomingMessage): string {
  const region = credentialPattern.exec(request.headers.authorization ?? '')?.[1];
  if (region !== undefined) return region;
  throw new KmsError('MissingAuthenticationTokenException', 'Missing Authentication Token');
}

function parseInput(body: Buffer): KmsInput {
  try {
    const input: unknown = JSON.parse(body.toString('utf8'));
    if (typeof input === 'object' && input !== null) return input as KmsInput;
  } catch {
    // Told below.
  }
  throw new KmsError('SerializationException', 'the request is not a JSON object');
}

async function answer(
  request: IncomingMessage,
  store: KeyStore,
  now: () => number,
): Promise<KmsInput | undefined> {
  const body = await readBody(request, maxRequestBytes);
  const target = targetPattern.exec(request.headers['x-amz-target']?.toString() ?? '')?.[1];
  const operation = operations.get(target ?? '');
  if (request.method !== 'POST' || operation === undefined) {
    throw new KmsError('UnknownOperationException', `unknown operation ${target ?? ''}`.trim());
  }
  const context = { store, region: readRegion(request), now: now() / 1000 };
  return operation(parseInput(body), context);
}

function send(response: ServerResponse, status: number, body: KmsInput | undefined): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.1',
    'Content-Length': Buffer.byteLength(text),
    'x-amzn-RequestId': randomUUID(),
  });
  response.end(text);
}

function toKmsError(error: unknown): KmsError {
  if (error instanceof KmsError) return error;
  if (error instanceof BodyTooLargeError) {
    return new KmsError('RequestEntityTooLargeException', error.message, 413);
  }
  return new KmsError('KMSInternalException', 'an internal error occurred', 500);
}

function sendError(response: ServerResponse, error: unknown): void {
  const known = toKmsError(error);
  send(response, known.status, { __type: known.type, message: known.message });
}

function createKmsServer(store: KeyStore, now: () => number): Server {
  return createServer((request, response) => {
    answer(request, store, now).then(
      (body) => send(response, 200, body),
      (error: unknown) => sendError(response, error),
    );
  });
}

/** Starts a server that speaks KMS's JSON protocol on loopback. */
export async function startKms(options: KmsOptions = {}): Promise<RunningKms> {
  const store = new KeyStore(options.directory);
  const server = createKmsServer(store, options.now ?? Date.now);
  const port = await listenOnLoopback(server, options.port ?? { port: 0 }, 'KMS server');
  return {
    port,
    endpoint: `http://${loopbackHost}:${port}`,
    close: () => closeServer(server),
  };
}
