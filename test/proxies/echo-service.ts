import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** What reached the service behind a proxy. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** Names and values of the trailers in turn, as received. */
  readonly rawTrailers: readonly string[];
  readonly bodyLength: number;
}

export interface EchoService {
  readonly port: number;
  /** Requests since the last call. */
  take(): readonly SeenRequest[];
  /** Bytes that arrived in tunnels since the last call, as text. */
  takeTunnelled(): string;
  close(): void;
}

/**
 * Answers 200 to everything, with what it saw as JSON. It accepts every `Upgrade`, as servers do that
 * speak HTTP/2 without TLS, and reads the connection from then on as a tunnel.
 */
export async function startEchoService(): Promise<EchoService> {
  let seen: SeenRequest[] = [];
  let tunnelled = '';
  const server = createServer((request, response) => {
    let bodyLength = 0;
    request.on('data', (chunk: Buffer) => {
      bodyLength += chunk.length;
    });
    request.on('end', () => {
      const { method = '', url = '', rawHeaders, rawTrailers } = request;
      const one = { method, url, rawHeaders, rawTrailers, bodyLength };
      seen.push(one);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(one));
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const { method = '', url = '', rawHeaders } = request;
    seen.push({ method, url, rawHeaders, rawTrailers: [], bodyLength: 0 });
    const { upgrade = '' } = request.headers;
    // The answer to the key of RFC 6455 §1.3, which the tests send.
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      `Upgrade: ${upgrade}`,
      'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      tunnelled += text;
      received += text;
      // A request may come in parts: an answer to the first would end the test before the rest.
      if (received.endsWith('\r\n\r\n')) socket.write('tunnelled');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    takeTunnelled() {
      const taken = tunnelled;
      tunnelled = '';
      return taken;
    },
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A header's variable in CGI, WSGI and PHP: `X-Auth-Client-Id` and `X.Auth.Client.Id` alike. */
function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** Every value of the variables that begin with `X_AUTH_`, but for empty ones. */
export function callerVariables({
  rawHeaders,
}: SeenRequest): Readonly<Record<string, readonly string[]>> {
  const variables: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = variableOf(rawHeaders[index] ?? '');
    const value = rawHeaders[index + 1] ?? '';
    if (name.startsWith('X_AUTH') && value !== '') (variables[name] ??= []).push(value);
  }
  return variables;
}

function decode(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * The path as the most lenient service would read it: decoded twice, backslashes as slashes,
 * without path parameters, dot segments resolved, any case.
 */
export function lenientPath({ url }: SeenRequest): string {
  const withoutHost = url.replace(/^https?:\/\/[^/]*/i, '');
  const [path = ''] = withoutHost.split('?', 1);
  const plain = decode(decode(path))
    .replaceAll('\\', '/')
    .replaceAll(/;[^/]*/g, '')
    .replace(/\0.*/s, '');
  const segments: string[] = [];
  for (const segment of plain.toLowerCase().split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}
