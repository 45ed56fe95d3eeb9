import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { BodyTooLargeError, readBody } from '../request-body.ts';
import { type Gateway, maxPayloadBytes } from './gateway.ts';
import { buildGatewayError } from './gateway-error.ts';
import type { GatewayRequest, GatewayResponse } from './gateway-route.ts';

/** Certificate chain and private key, PEM. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** One answered request, for the terminal. It has no query, and therefore no secret. */
export interface RequestNote {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** Of TLS 1.3 and 1.2, those that RFC 9325 §4.2 recommends: Node's default also has CCM. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':');

/** Node's own limits are raised, because Node refuses in plain text and the gateway in JSON. */
const serverOptions = { maxHeaderSize: 16 * 1024, requireHostHeader: false };

function readRequest(
  message: IncomingMessage,
  body: Buffer,
  scheme: 'http' | 'https',
): GatewayRequest {
  return {
    method: message.method ?? 'GET',
    target: message.url ?? '/',
    rawHeaders: message.rawHeaders,
    body,
    sourceIp: message.socket.remoteAddress ?? '',
    scheme,
    port: message.socket.localPort ?? 0,
    httpVersion: message.httpVersion,
  };
}

/** RFC 9110 §8.6: these never have content. */
function hasNoContent(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

/** Functions answer HEAD without content, so the length would be wrong. */
function sayLength(response: ServerResponse, answer: GatewayResponse): void {
  const withheld = response.req.method === 'HEAD' && answer.body.length === 0;
  if (!withheld) response.setHeader('Content-Length', answer.body.length);
}

function send(response: ServerResponse, answer: GatewayResponse): void {
  for (const [name, values] of answer.headers) {
    response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
  response.statusCode = answer.status;
  if (hasNoContent(answer.status)) {
    response.end();
    return;
  }
  sayLength(response, answer);
  response.end(answer.body);
}

/** Input that is not HTTP also gets the service's JSON. */
function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const overflow = error.code === 'HPE_HEADER_OVERFLOW';
  const answer = buildGatewayError('DEFAULT_4XX', overflow ? 431 : 400);
  const head = [...answer.headers].map(([name, values]) => `${name}: ${values.join(', ')}\r\n`);
  socket.end(
    `HTTP/1.1 ${answer.status} ${overflow ? 'Request Header Fields Too Large' : 'Bad Request'}\r\n` +
      `${head.join('')}Content-Length: ${answer.body.length}\r\nConnection: close\r\n\r\n` +
      answer.body.toString(),
  );
}

async function answerMessage(
  gateway: Gateway,
  message: IncomingMessage,
  scheme: 'http' | 'https',
): Promise<GatewayResponse> {
  try {
    return await gateway(readRequest(message, await readBody(message, maxPayloadBytes), scheme));
  } catch (error) {
    if (error instanceof BodyTooLargeError) return buildGatewayError('REQUEST_TOO_LARGE');
    throw error;
  }
}

/** A server that passes every request to the gateway. It does not listen yet. */
export function createGatewayServer(
  gateway: Gateway,
  tls: TlsFiles | undefined,
  onRequest: (note: RequestNote) => void = () => undefined,
): Server {
  const scheme = tls === undefined ? 'http' : 'https';
  const listener = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const start = performance.now();
    const answer = await answerMessage(gateway, message, scheme);
    send(response, answer);
    onRequest({
      method: message.method ?? '',
      path: (message.url ?? '').split('?')[0] ?? '',
      status: answer.status,
      milliseconds: performance.now() - start,
    });
  };
  const handle = (message: IncomingMessage, response: ServerResponse): void => {
    // If a client closes the connection during its request, there is no one to answer.
    listener(message, response).catch(() => response.destroy());
  };
  const server =
    tls === undefined
      ? createHttpServer(serverOptions, handle)
      : createHttpsServer(
          { ...serverOptions, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2', ciphers },
          handle,
        );
  server.on('clientError', refuseConnection);
  return server;
}
