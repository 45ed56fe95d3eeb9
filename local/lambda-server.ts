import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';
import { BodyTooLargeError, readBody } from './request-body.ts';

/** A function that is invoked with an event, not with a request. */
export type EventHandler = (event: unknown) => Promise<unknown>;

export interface RunningLambda {
  /** For `AWS_ENDPOINT_URL_LAMBDA`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** What goes back over HTTP. */
interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Lambda's quota of a synchronous invocation's event. */
const maxEventBytes = 6 * 1024 * 1024;

const invocationPath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** The name within a name, a partial ARN or an ARN. */
function readFunctionName(path: string): string | undefined {
  const identifier = invocationPath.exec(path)?.[1];
  return identifier === undefined ? undefined : decodeURIComponent(identifier).split(':').at(-1);
}

function awsError(type: string, status: number, Message: string): Reply {
  return { status, headers: { 'x-amzn-ErrorType': type }, body: { Type: 'User', Message } };
}

/** Lambda answers 200 for a function that threw, and names the error in the body. */
function functionError(error: unknown): Reply {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const body = { errorType: name, errorMessage: message, trace: [] };
  return { status: 200, headers: { 'X-Amz-Function-Error': 'Unhandled' }, body };
}

async function answer(
  request: IncomingMessage,
  functions: ReadonlyMap<string, EventHandler>,
): Promise<Reply> {
  const body = await readBody(request, maxEventBytes);
  const name = readFunctionName(request.url ?? '') ?? '';
  const handler = functions.get(name);
  if (request.method !== 'POST' || handler === undefined) {
    return awsError('ResourceNotFoundException', 404, `Function not found: ${name}`);
  }
  let event: unknown;
  try {
    event = JSON.parse(body.length === 0 ? '{}' : body.toString());
  } catch {
    return awsError('InvalidRequestContentException', 400, 'the event is not JSON');
  }
  try {
    return { status: 200, body: (await handler(event)) ?? null };
  } catch (error) {
    return functionError(error);
  }
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'Content-Type': 'application/json',
    'x-amzn-RequestId': randomUUID(),
    'X-Amz-Executed-Version': '$LATEST',
    ...reply.headers,
  });
  response.end(JSON.stringify(reply.body));
}

function toReply(error: unknown): Reply {
  return error instanceof BodyTooLargeError
    ? awsError('RequestTooLargeException', 413, error.message)
    : awsError('ServiceException', 500, 'an internal error occurred');
}

/**
 * Starts a server that speaks Lambda's Invoke on loopback, for `authctl`, which asks the key
 * rotation function to rotate. Signatures are not verified.
 *
 * @param functions by name.
 */
export async function startLambda(
  functions: ReadonlyMap<string, EventHandler>,
  port: PortChoice = { port: 0 },
): Promise<RunningLambda> {
  const server = createServer((request, response) => {
    answer(request, functions).then(
      (reply) => send(response, reply),
      (error: unknown) => send(response, toReply(error)),
    );
  });
  const taken = await listenOnLoopback(server, port, 'Lambda server');
  return { endpoint: `http://${loopbackHost}:${taken}`, close: () => closeServer(server) };
}
