import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

/** One call of the AWS JSON protocol, as it arrived. */
export interface Call {
  readonly operation: string;
  readonly input: Record<string, unknown>;
  /** As it came, for a proxy. */
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
}

/**
 * What a stub does with a call: answers, closes the connection without a word, never answers, or
 * stops in the middle of an answer.
 */
export type Answer =
  | { readonly status: number; readonly body: object }
  | 'reset'
  | 'silence'
  | 'half';

export interface StubServer {
  readonly endpoint: string;
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

export const failure = (status: number, type: string): Answer => ({
  status,
  body: { __type: type, message: 'told to' },
});

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  return { operation, input: JSON.parse(body.toString()), body, headers: request.headers };
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'silence') return;
  if (answer === 'reset') return void response.socket?.resetAndDestroy();
  const headers = { 'Content-Type': 'application/x-amz-json-1.0' };
  if (answer === 'half') {
    response.writeHead(200, { ...headers, 'Content-Length': '1000' }).write('{"Item":');
    return;
  }
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
}

/** A server in a service's place that does as it is told, and notes what it was asked. */
export async function startStub(
  decide: (call: Call, count: number) => Answer | Promise<Answer>,
): Promise<StubServer> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const call = await readCall(request);
      calls.push(call);
      send(response, await decide(call, calls.length));
    })();
  });
  const port = await listenOnLoopback(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    close: () => closeServer(server),
  };
}
