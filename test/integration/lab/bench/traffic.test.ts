import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendTraffic } from '../../../../lab/bench/load/traffic.ts';

describe('traffic', () => {
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume();
    answered += 1;
    if (answered === 2) response.writeHead(503).end('{"error":"unavailable"}');
    else response.end(JSON.stringify({ access_token: request.headers['x-client'] }));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('asks as each client by turns, and goes on after an error', async () => {
    const { port } = server.address() as AddressInfo;
    const traffic = { name: '', arrivals: [0, 0, 1, 2], keepsConnections: false, clients: 2 };
    const samples = await sendTraffic(traffic, (client) => ({
      port,
      path: '/',
      headers: { 'x-client': `client ${client}` },
      body: '',
    }));
    expect(samples.map(({ arrivedAt }) => arrivedAt)).toEqual([0, 0, 1, 2]);
    expect(samples.filter(({ error }) => error === 'the server answered 503')).toHaveLength(1);
    const tokens = samples.flatMap(({ token }) => token ?? []);
    expect(new Set(tokens)).toEqual(new Set(['client 0', 'client 1']));
  });
});
