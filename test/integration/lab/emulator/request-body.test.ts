import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBody } from '../../../../lab/emulator/request-body.ts';

const maxBytes = 4;
const server = createServer();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends the begin of a request, and returns the request as the server has it. */
async function send(length: number, body: string) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  return { socket, request };
}

describe('the body of a request', () => {
  it('is read as a whole', async () => {
    const { socket, request } = await send(4, 'ab');
    const body = readBody(request, maxBytes);
    socket.write('cd');
    expect((await body).toString()).toBe('abcd');
  });

  it('may not be longer than the limit, and is read to its end', async () => {
    const { socket, request } = await send(6, 'abc');
    const body = readBody(request, maxBytes);
    socket.write('def');
    await expect(body).rejects.toThrow('the body is longer than 4 bytes');
    expect(request.complete).toBe(true);
  });

  it('fails if the client goes away before its end', async () => {
    const { socket, request } = await send(4, 'ab');
    const body = readBody(request, maxBytes);
    socket.destroy();
    await expect(body).rejects.toThrow('aborted');
  });
});
