import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AccessControl } from '../iam/permission-gate.ts';
import {
  closeServer,
  listenOnLoopback,
  loopbackHost,
  type PortChoice,
} from '../loopback-server.ts';
import { BodyTooLargeError, readBody } from '../request-body.ts';
import type { AccessKey } from './access-key.ts';
import { AwsError, type AwsService, renderAwsError, sendAnswer } from './aws-error.ts';
import { refuseBrowsers } from './refuse-browsers.ts';
import { type VerifiedRequest, verifyRequestSignature } from './verify-signature.ts';

/** What every service of this machine is started with. */
export interface ServiceOptions {
  /** The access key of this run. Only requests that are signed with a known key are answered. */
  readonly accessKey: AccessKey;
  /** Decides which calls are allowed, and finds other access keys. By default, every signed call is. */
  readonly accessControl?: AccessControl | undefined;
  /** By default a free one. */
  readonly port?: PortChoice | undefined;
}

interface AwsServerOptions extends Pick<ServiceOptions, 'accessKey'> {
  readonly service: AwsService;
  /** Finds other access keys. By default there are none. */
  readonly accessControl?: Pick<AccessControl, 'findAccessKey'> | undefined;
  readonly maxRequestBytes: number;
  /** Answers a request. When it throws, the response is an error of the service. */
  readonly answer: (request: VerifiedRequest, response: ServerResponse) => Promise<void> | void;
}

/** The types of each service's own errors. */
const errorTypes: Readonly<Record<AwsService, readonly [tooLarge: string, internal: string]>> = {
  dynamodb: ['RequestEntityTooLargeException', 'InternalServerError'],
  kms: ['RequestEntityTooLargeException', 'KMSInternalException'],
  lambda: ['RequestTooLargeException', 'ServiceException'],
  sts: ['RequestEntityTooLarge', 'InternalFailure'],
  secretsmanager: ['InvalidRequestException', 'InternalServiceError'],
};

function toAwsError(service: AwsService, error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  const [tooLarge, internal] = errorTypes[service];
  if (error instanceof BodyTooLargeError) return new AwsError(tooLarge, error.message, 413);
  return new AwsError(internal, 'an internal error occurred', 500);
}

async function verify(
  message: IncomingMessage,
  { service, accessKey, accessControl, maxRequestBytes }: AwsServerOptions,
): Promise<VerifiedRequest> {
  // The body is always read, because a client sends it before it reads the response.
  const body = await readBody(message, maxRequestBytes);
  refuseBrowsers(message);
  const { method = '', url = '/', headers } = message;
  const request = { method, url, headers, body };
  const findAccessKey = (id: string) =>
    id === accessKey.accessKeyId ? accessKey : accessControl?.findAccessKey(id);
  const signer = await verifyRequestSignature(request, {
    service,
    findAccessKey,
    time: Date.now(),
  });
  return { ...request, ...signer };
}

/**
 * Handles the requests of a server that speaks an AWS service's protocol. It answers only under its
 * own names and only to signed requests. It never answers a browser and sends no CORS headers.
 */
export function createAwsListener(
  options: AwsServerOptions,
): (message: IncomingMessage, response: ServerResponse) => void {
  const { service, answer } = options;
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    // By the clock that checks signatures, which a test may set: Node's own header is not.
    response.setHeader('date', new Date().toUTCString());
    try {
      await answer(await verify(message, options), response);
    } catch (error) {
      // A client that went away before its request was complete has no answer to get.
      if (response.headersSent || !message.complete) response.destroy();
      else sendAnswer(response, renderAwsError(service, toAwsError(service, error)));
    }
  };
  return (message, response) => void handle(message, response);
}

/** A service on loopback. */
export interface RunningService {
  readonly port: number;
  /** For `AWS_ENDPOINT_URL_…`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts a server with such a listener. @param name of the service, for the user. */
export async function startAwsServer(
  name: string,
  { port: choice = { port: 0 }, ...options }: AwsServerOptions & Pick<ServiceOptions, 'port'>,
): Promise<RunningService> {
  // Clients decide how long they keep a connection. One that ends between two requests is an attempt
  // more.
  const server = createServer({ keepAliveTimeout: 0 }, createAwsListener(options));
  const port = await listenOnLoopback(server, choice, name);
  return { port, endpoint: `http://${loopbackHost}:${port}`, close: () => closeServer(server) };
}
