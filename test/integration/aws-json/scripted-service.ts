import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

export interface SeenRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A service that answers each request with the next line of a script; the last line repeats. */
export interface ScriptedService {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Connections made so far. */
  connections(): number;
  close(): Promise<void>;
}

export function answer(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
}

/** Breaks the connection off, as a server does that goes away. */
export const hangUp: Answer = (_response, request) => {
  request.socket.resetAndDestroy();
};

/** Takes the request and never answers. */
export const stayMute: Answer = () => {};

export async function startScriptedService(script: readonly Answer[]): Promise<ScriptedService> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      const line = script[requests.length - 1] ?? script.at(-1);
      line?.(response, request);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: () => closeServer(server),
  };
}
