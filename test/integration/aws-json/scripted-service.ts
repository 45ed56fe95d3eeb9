import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

export interface SeenRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** The lines of a script, the last of which repeats, or what chooses the line for a request. */
type Script = readonly Answer[] | ((request: SeenRequest) => Answer | Promise<Answer>);

/** A service that answers as its script says. */
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

export async function startScriptedService(script: Script): Promise<ScriptedService> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const seen = { headers: request.headers, body: await text(request) };
    requests.push(seen);
    const line =
      typeof script === 'function' ? script(seen) : (script[requests.length - 1] ?? script.at(-1));
    (await line)?.(response, request);
  };
  const server = createServer((request, response) => void respond(request, response));
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
