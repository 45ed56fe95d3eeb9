import {
  type Agent,
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PortOptions } from '../../core/port.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Times are milliseconds. */
interface ConnectionOptions {
  /** Until a new connection is open. */
  readonly connectionTimeout: number;
  /** From the request to the whole response. */
  readonly requestTimeout: number;
  readonly maxSockets: number;
}

export interface PostOptions extends PortOptions {
  /** Hears when the request has been handed to the operating system as a whole. */
  readonly onSent?: (() => void) | undefined;
}

/** Connections to one service, kept between requests. */
export interface Connection {
  /** Opens one ahead of the first request. */
  open(): void;
  /**
   * @throws {StaleConnectionError} if a kept connection was closed and there is no response.
   * @throws {Error} of node:net, AwsTimeoutError or AbortError if there is no response.
   */
  post(headers: readonly string[], body: string, options: PostOptions): Promise<HttpResponse>;
  close(): void;
}

/** DynamoDB's largest response is 16 MB of items; their JSON may be twice as long. */
const maxBodyLength = 32 * 1024 * 1024;

/** An idle connection that the other side closed while this process was idle or frozen. */
export class StaleConnectionError extends Error {}

/**
 * Aborts if the request or its new connection takes too long, or the caller's deadline passes.
 * Node's own `signal` option does the last at ten times the cost.
 *
 * @returns a function that stops the timers.
 */
function boundTime(
  request: ClientRequest,
  options: Omit<ConnectionOptions, 'maxSockets'>,
  signal?: AbortSignal,
): () => void {
  const giveUp = (what: string) => request.destroy(new AwsTimeoutError(`${what} in time`));
  let last: NodeJS.Immediate | undefined;
  // Timers run before sockets are read. A function that was frozen finds the response that came
  // meanwhile, and keeps its connection.
  const timer = setTimeout(() => {
    last = setImmediate(giveUp, 'no response');
  }, options.requestTimeout);
  const abort = () => request.destroy(new AwsAbortError('the caller gave up'));
  signal?.addEventListener('abort', abort);
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    const connecting = setTimeout(giveUp, options.connectionTimeout, 'no connection');
    const stop = () => clearTimeout(connecting);
    socket.once('connect', stop).once('close', stop);
  });
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
    signal?.removeEventListener('abort', abort);
  };
}

/** Resolves with the whole response, or rejects with the first error of request or response. */
function readResponse(request: ClientRequest, stopTimers: () => void): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      stopTimers();
      reject(error);
    };
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && error.code === 'ECONNRESET';
      fail(stale ? new StaleConnectionError(error.message, { cause: error }) : error);
    });
    // Without a listener, Node closes the connection and emits neither a response nor an error.
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      fail(new Error(`status ${statusCode} is not a response`));
    });
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > maxBodyLength) request.destroy(new Error('the response is too large'));
      });
      response.on('error', fail);
      response.on('end', () => {
        stopTimers();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
  });
}

function requestFor({ protocol }: URL) {
  return protocol === 'https:' ? requestHttps : requestHttp;
}

export interface SingleRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Milliseconds from the request to the whole response. */
  readonly timeout: number;
  /** Variables of a proxy: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly proxy?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Sends one request over a connection of its own, and follows no redirect.
 *
 * @throws {Error} of node:net or node:http, or AwsTimeoutError, if there is no response.
 */
export async function requestOnce(url: URL, options: SingleRequest): Promise<HttpResponse> {
  const { timeout, proxy } = options;
  const request = requestFor(url);
  const agent =
    proxy !== undefined &&
    new (request === requestHttps ? HttpsAgent : HttpAgent)({ proxyEnv: proxy });
  const call = request(url, { ...options, agent });
  const times = { connectionTimeout: timeout, requestTimeout: timeout };
  const response = readResponse(call, boundTime(call, times));
  call.end(options.body);
  return response;
}

/** @see {@link Connection} */
export function createConnection(url: URL, options: ConnectionOptions): Connection {
  const request = requestFor(url);
  const agent = new (request === requestHttps ? HttpsAgent : HttpAgent)({
    keepAlive: true,
    maxSockets: options.maxSockets,
    // The most recently used connection is the least likely to have been closed.
    scheduling: 'lifo',
  });
  // All requests have one target. Without this, the agent computes its name four times per request.
  agent.getName = () => url.host;
  const ahead = openAhead(agent, url);
  const { protocol, port, pathname: path } = url;
  const target: RequestOptions = { method: 'POST', agent, protocol, host: hostOf(url), port, path };

  function send(headers: readonly string[], body: string, { signal, onSent }: PostOptions) {
    if (signal?.aborted === true) return Promise.reject(new AwsAbortError('the caller gave up'));
    const call = request({ ...target, headers });
    const response = readResponse(call, boundTime(call, options, signal));
    if (onSent !== undefined) call.once('finish', onSent);
    call.end(body);
    return response;
  }

  return {
    open: () => ahead.open(),
    post: send,
    close: () => {
      ahead.close();
      agent.destroy();
    },
  };
}

/** The options that the agent connects with. Node documents `options`, but its types lack it. */
interface Connecting {
  readonly options: Readonly<Record<string, unknown>>;
  createConnection(
    options: Readonly<Record<string, unknown>>,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex;
}

/** Host without the brackets of an IPv6 address, as sockets need it. */
function hostOf(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, '');
}

/**
 * Opens a connection of an agent before the first request. The handshake runs while a function is
 * still loading, and the first request uses the connection, even if it is still being opened.
 */
function openAhead(agent: Agent, url: URL) {
  const connecting = agent as unknown as Connecting;
  const create = connecting.createConnection.bind(agent);
  const host = hostOf(url);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const servername = isIP(host) === 0 ? host : '';
  let opened: Duplex | undefined;
  connecting.createConnection = (options, callback) => {
    const ready = opened;
    opened = undefined;
    return ready?.destroyed === false ? ready : create(options, callback);
  };
  return {
    open: () => {
      const socket = create({ ...connecting.options, host, port, servername });
      // No request waits for it yet. When it is broken, the first request opens its own.
      socket.on('error', () => socket.destroy());
      opened = socket;
    },
    close: () => opened?.destroy(),
  };
}

/** No response in time. It has the SDK's name. */
class AwsTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The caller's deadline has passed. It has the SDK's name. */
class AwsAbortError extends Error {
  override readonly name = 'AbortError';
}
