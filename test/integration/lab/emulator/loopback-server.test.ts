import { once } from 'node:events';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import { createLoopbackCertificate } from '../../../../lab/support/loopback-https.ts';

it('closes a server with TLS while a connection has not begun its handshake', async () => {
  const server = createServer(await createLoopbackCertificate());
  const accepted = once(server, 'connection');
  const port = await listenOnLoopback(server);
  const socket = connect(port, '127.0.0.1');
  const closed = once(socket, 'close');
  await accepted;
  await closeServer(server);
  await closed;
  expect(server.listening).toBe(false);
});
