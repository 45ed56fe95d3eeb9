import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { request as overHttps } from 'node:https';
import { loopbackHost } from './loopback-server.ts';

/** A whole response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends a request on the agent's connections, which `fetch` cannot do, and reads the response.
 *
 * @throws {Error} if the connection fails, or nothing arrives for `options.timeout` milliseconds.
 */
export function sendRequest(
  url: string | URL,
  options: RequestOptions & { readonly ca?: string },
  body?: string | Buffer,
): Promise<HttpResponse> {
  const request = String(url).startsWith('https:') ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${options.timeout} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Passes the head of a request on to another server on loopback, and its response back.
 *
 * @returns what the body is to be written to.
 */
export function forwardHead(
  port: number,
  { method, url: path, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  response: ServerResponse,
): ClientRequest {
  const sent = overHttp({ host: loopbackHost, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  return sent;
}
