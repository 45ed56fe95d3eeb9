import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AccessKey } from '../aws-server/access-key.ts';
import { contentTypes, sendAnswer } from '../aws-server/aws-error.ts';
import { createAwsServer, type VerifiedRequest } from '../aws-server/aws-server.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { kmsCalls } from '../iam/kms-calls.ts';
import {
  closeServer,
  listenOnLoopback,
  loopbackHost,
  type PortChoice,
} from '../loopback-server.ts';
import type { OnStorage } from '../storage.ts';
import { findKey } from './find-key.ts';
import type { KmsInput } from './input.ts';
import { KeyStore } from './key-store.ts';
import { KmsError } from './kms-error.ts';
import { operations } from './operations.ts';

export interface KmsOptions {
  /** Only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** Decides which calls are allowed. By default, every signed call is. */
  readonly accessControl?: AccessControl | undefined;
  /** The folder of the keys, including private halves. By default they are only in memory. */
  readonly directory?: string;
  /** The default is a free port. */
  readonly port?: PortChoice;
  /** Clock of waiting periods, in milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onStorage?: OnStorage | undefined;
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

function parseInput(body: Buffer): KmsInput {
  try {
    const input: unknown = JSON.parse(body.toString('utf8'));
    if (typeof input === 'object' && input !== null) return input as KmsInput;
  } catch {
    // Told below.
  }
  throw new KmsError('SerializationException', 'the request is not a JSON object');
}

interface AnswerOptions extends Pick<KmsOptions, 'accessControl'> {
  readonly store: KeyStore;
  readonly clock: () => number;
}

async function answer(
  { method, headers, body, region, accessKeyId }: VerifiedRequest,
  { store, clock, accessControl }: AnswerOptions,
): Promise<KmsInput | undefined> {
  const target = targetPattern.exec(headers['x-amz-target']?.toString() ?? '')?.[1];
  const operation = operations.get(target ?? '');
  if (method !== 'POST' || target === undefined || operation === undefined) {
    throw new KmsError('UnknownOperationException', `unknown operation ${target ?? ''}`.trim());
  }
  const input = parseInput(body);
  const context = { store, region, now: clock() / 1000 };
  const calls = { region, findKey: () => findKey(input, context) };
  await accessControl?.authorize(accessKeyId, kmsCalls(target, input, calls));
  return operation(input, context);
}

function send(response: ServerResponse, output: KmsInput | undefined): void {
  const body = Buffer.from(output === undefined ? '' : JSON.stringify(output));
  const headers = { 'content-type': contentTypes.kms, 'x-amzn-requestid': randomUUID() };
  sendAnswer(response, { status: 200, headers, body });
}

/** Starts a server that speaks KMS's JSON protocol on loopback. */
export async function startKms(options: KmsOptions): Promise<RunningKms> {
  const { accessKey, accessControl, directory, clock = Date.now, onStorage } = options;
  const store = new KeyStore(directory, onStorage);
  const server = createAwsServer({
    service: 'kms',
    accessKey,
    accessControl,
    maxRequestBytes,
    answer: async (request, response) =>
      send(response, await answer(request, { store, clock, accessControl })),
  });
  const port = await listenOnLoopback(server, options.port ?? { port: 0 }, 'KMS server');
  return {
    port,
    endpoint: `http://${loopbackHost}:${port}`,
    close: () => closeServer(server),
  };
}
