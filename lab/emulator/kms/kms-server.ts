import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { AwsError, contentTypes, sendAnswer } from '../aws-server/aws-error.ts';
import {
  type RunningService,
  type ServiceOptions,
  startAwsServer,
} from '../aws-server/aws-server.ts';
import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import { parseJsonObject } from '../request-body.ts';
import type { OnStorage } from '../storage.ts';
import { findKey } from './find-key.ts';
import type { KmsInput } from './input.ts';
import { KeyStore } from './key-store.ts';
import { operations } from './operations.ts';

interface KmsOptions extends ServiceOptions {
  /** The folder of the keys, including private halves. By default they are only in memory. */
  readonly directory?: string;
  /** Clock of waiting periods, in milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onStorage?: OnStorage | undefined;
}

/** The largest request, CreateKey with a policy of 32 KiB in JSON escapes, is far below. */
const maxRequestBytes = 256 * 1024;

const targetPattern = /^TrentService\.(\w+)$/;

interface AnswerOptions extends Pick<KmsOptions, 'accessControl'> {
  readonly store: KeyStore;
  readonly clock: () => number;
}

async function answer(
  request: VerifiedRequest,
  { store, clock, accessControl }: AnswerOptions,
): Promise<KmsInput | undefined> {
  const { method, headers, body, region } = request;
  const target = targetPattern.exec(headers['x-amz-target']?.toString() ?? '')?.[1];
  const operation = operations.get(target ?? '');
  if (method !== 'POST' || target === undefined || operation === undefined) {
    throw new AwsError('UnknownOperationException', `unknown operation ${target ?? ''}`.trim());
  }
  const input: KmsInput | undefined = parseJsonObject(body);
  if (input === undefined) {
    throw new AwsError('SerializationException', 'the request is not a JSON object');
  }
  const context = { store, region, now: clock() / 1000 };
  await accessControl?.authorize('kms', request, () => findKey(input, context));
  return operation(input, context);
}

function send(response: ServerResponse, output: KmsInput | undefined): void {
  const body = Buffer.from(output === undefined ? '' : JSON.stringify(output));
  const headers = { 'content-type': contentTypes.kms, 'x-amzn-requestid': randomUUID() };
  sendAnswer(response, { status: 200, headers, body });
}

/** Starts a server that speaks KMS's JSON protocol on loopback. */
export async function startKms(options: KmsOptions): Promise<RunningService> {
  const { accessControl, directory, clock = Date.now, onStorage } = options;
  const store = new KeyStore(directory, onStorage);
  return startAwsServer('KMS server', {
    ...options,
    service: 'kms',
    maxRequestBytes,
    answer: async (request, response) =>
      send(response, await answer(request, { store, clock, accessControl })),
  });
}
