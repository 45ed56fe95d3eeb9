import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { refuseBrowsers } from '../aws-server/refuse-browsers.ts';
import { closeServer, listenOnLoopback, loopbackHost } from '../loopback-server.ts';
import { readBody } from '../request-body.ts';

/** The response of a function. */
export interface Invocation {
  readonly payload: unknown;
  /** Headers of the request with the payload. A benchmark's runtime adds its measurements here. */
  readonly headers: IncomingHttpHeaders;
}

/** The function failed: at INIT, in the handler, or because its process ended. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
}

/** Server side of the Lambda Runtime API, for one function process. */
export interface RuntimeApi {
  /** `host:port`, as in `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /**
   * Passes an event to the function. Events wait in a queue while it is busy.
   *
   * @param functionArn that the invocation names, e.g. with an alias. The default has no qualifier.
   */
  invoke(event: unknown, functionArn?: string): Promise<Invocation>;
  /** Refuses waiting and later events when the function process is gone. */
  fail(error: Error): void;
  close(): Promise<void>;
}

interface RuntimeApiOptions {
  readonly functionArn: string;
  /** Maximum milliseconds of an invocation, which the function sees in its context. */
  readonly timeoutMs: number;
}

interface Pending {
  readonly id: string;
  readonly event: string;
  readonly functionArn: string;
  resolve(invocation: Invocation): void;
  reject(error: Error): void;
}

const invocationPath = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;

/** The events of one function: those that wait, and those that it has been given. */
function createInvocationQueue(options: RuntimeApiOptions) {
  const waiting: Pending[] = [];
  const running = new Map<string, Pending>();
  let poll: ServerResponse | undefined;
  let failure: Error | undefined;

  const handOut = (): void => {
    const response = poll;
    if (response === undefined) return;
    const next = waiting.shift();
    if (next === undefined) return;
    poll = undefined;
    running.set(next.id, next);
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': next.id,
      'Lambda-Runtime-Deadline-Ms': String(Date.now() + options.timeoutMs),
      'Lambda-Runtime-Invoked-Function-Arn': next.functionArn,
      'Lambda-Runtime-Trace-Id': `Root=1-00000000-${next.id.replaceAll('-', '').slice(0, 24)};Sampled=0`,
    });
    response.end(next.event);
  };

  return {
    add: (event: unknown, functionArn = options.functionArn): Promise<Invocation> => {
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        const id = randomUUID();
        waiting.push({ id, event: JSON.stringify(event), functionArn, resolve, reject });
        handOut();
      });
    },
    poll: (response: ServerResponse): void => {
      poll = response;
      handOut();
    },
    settle: (id: string, kind: string, body: string, headers: IncomingHttpHeaders): void => {
      const pending = running.get(id);
      if (pending === undefined) return;
      running.delete(id);
      if (kind === 'error') pending.reject(new FunctionError(body));
      else pending.resolve({ payload: JSON.parse(body) as unknown, headers });
    },
    fail: (error: Error): void => {
      failure ??= error;
      for (const pending of [...waiting.splice(0), ...running.values()]) pending.reject(failure);
      running.clear();
    },
  };
}

function routeRequest(
  queue: ReturnType<typeof createInvocationQueue>,
  request: { url: string; body: string; headers: IncomingHttpHeaders },
  response: ServerResponse,
): void {
  if (request.url === '/2018-06-01/runtime/invocation/next') {
    queue.poll(response);
    return;
  }
  const [, id, kind] = invocationPath.exec(request.url) ?? [];
  if (id !== undefined && kind !== undefined) {
    queue.settle(id, kind, request.body, request.headers);
  } else if (request.url === '/2018-06-01/runtime/init/error') {
    queue.fail(new FunctionError(request.body));
  }
  response.writeHead(202).end();
}

/** Starts a Runtime API on a free loopback port. */
export async function startRuntimeApi(options: RuntimeApiOptions): Promise<RuntimeApi> {
  const queue = createInvocationQueue(options);
  const server = createServer((request, response) => {
    try {
      refuseBrowsers(request);
    } catch {
      response.writeHead(403).end();
      return;
    }
    const { url = '', headers } = request;
    readBody(request).then(
      (body) => routeRequest(queue, { url, body: body.toString(), headers }, response),
      () => response.destroy(),
    );
  });
  // A function's poll may wait for as long as there is no event.
  server.requestTimeout = 0;
  const port = await listenOnLoopback(server, { port: 0 }, 'Runtime API');
  return {
    address: `${loopbackHost}:${port}`,
    invoke: queue.add,
    fail: queue.fail,
    close: () => closeServer(server),
  };
}
