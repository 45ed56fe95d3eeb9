import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../../../lab/emulator/gateway/gateway.ts';
import {
  createGatewayServer,
  type RequestNote,
} from '../../../../lab/emulator/gateway/gateway-server.ts';
import { closeServer, listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';

const notes: RequestNote[] = [];
const gateway = createGateway({
  routes: [
    {
      path: '/echo',
      functionName: 'echo',
      handler: (event) =>
        Promise.resolve({
          statusCode: Number(event.queryStringParameters?.['status'] ?? 200),
          multiValueHeaders: { 'X-A': ['1', '2'] },
          headers: { 'WWW-Authenticate': 'Basic realm="x"' },
          body: JSON.stringify({
            length: event.body?.length ?? 0,
            source: event.requestContext.identity.sourceIp,
          }),
        }),
    },
  ],
});
const server = createGatewayServer(gateway, undefined, (note) => notes.push(note));
let port: number;
let origin: string;

beforeAll(async () => {
  port = await listenOnLoopback(server, { port: 0 }, 'gateway');
  origin = `http://127.0.0.1:${port}`;
});

afterAll(() => closeServer(server));

/** Sends bytes as they are and reads until the server closes. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
    socket.write(text);
  });
}

describe('the gateway over HTTP', () => {
  it('carries the response of a function', async () => {
    const response = await fetch(`${origin}/echo`, { method: 'POST', body: 'abc' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-a')).toBe('1, 2');
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic realm="x"');
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(await response.json()).toEqual({ length: 3, source: '127.0.0.1' });
  });

  it.each([204, 304])('sends no content with %i', async (status) => {
    const response = await fetch(`${origin}/echo?status=${status}`);
    expect(response.status).toBe(status);
    expect(response.headers.has('content-length')).toBe(false);
    expect(await response.text()).toBe('');
  });

  it('sends no content to HEAD, but its length', async () => {
    const response = await fetch(`${origin}/echo`, { method: 'HEAD' });
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await response.text()).toBe('');
  });

  it('answers a body above 10 MiB with JSON', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1);
    const response = await fetch(`${origin}/echo`, { method: 'POST', body });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: 'the request is too large',
    });
  });

  it.each([
    ['//echo', 404],
    ['/x/../echo', 404],
    ['/echo', 200],
  ])('takes the path %s as it is', async (path, status) => {
    const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
  });

  it.each([
    [
      'headers above 16 KiB',
      `GET /echo HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['what is not HTTP', 'nonsense\r\n\r\n', 400],
    ['an HTTP/1.1 request without Host', 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'a header with a control character',
      'GET /echo HTTP/1.1\r\nHost: x\r\nA: \u0000\r\n\r\n',
      400,
    ],
  ])('answers %s with JSON', async (_, text, status) => {
    const answer = await sendRaw(text);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toContain('Cache-Control: no-store');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: 'invalid_request',
    });
  });

  it('notes each request without its query', async () => {
    await fetch(`${origin}/echo?client_secret=x`);
    expect(notes.at(-1)).toEqual({
      method: 'GET',
      path: '/echo',
      status: 200,
      milliseconds: expect.any(Number),
    });
  });
});
