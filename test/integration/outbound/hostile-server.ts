import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

/** What a server does with one connection, from the client's first bytes. */
export type Behaviour = (socket: Duplex) => void;

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Writes the same piece again and again, as fast as asked, until the client closes. */
function repeat(socket: Duplex, piece: string, milliseconds: number): void {
  const timer = setInterval(() => socket.write(piece), milliseconds);
  socket.once('close', () => clearInterval(timer));
}

function say(text: string): Behaviour {
  return (socket) => void socket.write(text);
}

function sayAndEnd(text: string): Behaviour {
  return (socket) => void socket.end(text);
}

function sayAndRepeat(text: string, piece: string, milliseconds = 20): Behaviour {
  return (socket) => {
    socket.write(text);
    repeat(socket, piece, milliseconds);
  };
}

function sayAndReset(text: string): Behaviour {
  return (socket) => {
    const reset = () =>
      socket instanceof TLSSocket ? socket.destroy() : (socket as Socket).resetAndDestroy();
    if (text === '') reset();
    else socket.write(text, reset);
  };
}

/** No status, or a refused one. */
export const hostileHeads: Readonly<Record<string, Behaviour>> = {
  'no byte': () => {},
  'half a status line': say('HTTP/1.1 20'),
  'half a header': say(`${head}X-Half`),
  'a header without an end': sayAndRepeat(`${head}X-Long: `, 'a'.repeat(4096)),
  'headers without an end': sayAndRepeat(head, 'X-Next: a\r\n'.repeat(300)),
  'headers one by one': sayAndRepeat(head, 'X-Next: a\r\n', 50),
  '101 Switching Protocols': say(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  ),
  '101 without Upgrade': say('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '101, then bytes': sayAndRepeat(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'tunnelled',
  ),
  '100 Continue, then nothing': say('HTTP/1.1 100 Continue\r\n\r\n'),
  '100 Continue without an end': sayAndRepeat('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  '103 Early Hints without an end': sayAndRepeat(
    '',
    'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n',
  ),
  'a negative length': say(`${head}Content-Length: -1\r\n\r\n{}`),
  'two lengths': say(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}1`),
  'length and chunks': say(
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  'an invalid status': say('HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n'),
  'another protocol': say('SSH-2.0-OpenSSH_9.9\r\n'),
  'the preface of HTTP/2': say('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'a redirect to itself': say('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  'end of stream': sayAndEnd(''),
  'a reset': sayAndReset(''),
};

/** After status 200 and complete headers. */
export const hostileBodies: Readonly<Record<string, Behaviour>> = {
  'a body without an end': sayAndRepeat(
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    `4000\r\n${'[1],'.repeat(0x1000)}\r\n`,
  ),
  'a body byte by byte': sayAndRepeat(`${head}Content-Length: 100000\r\n\r\n`, ' ', 50),
  'a body that stops': say(`${head}Content-Length: 1000\r\n\r\n{"a":`),
  'a body cut off': sayAndEnd(`${head}Content-Length: 1000\r\n\r\n{"a":`),
  'a body that is reset': sayAndReset(`${head}Content-Length: 1000\r\n\r\n{"a":`),
  'a chunk cut off': sayAndEnd(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a`),
  'no last chunk': say(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
  'trailers without an end': sayAndRepeat(
    `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`,
    'X-Next: a\r\n'.repeat(300),
  ),
  'a chunk of an invalid size': say(`${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n`),
};

/** Before any HTTP, to a client that speaks TLS. */
export const hostileHandshakes: Readonly<Record<string, Behaviour>> = {
  'no byte': () => {},
  'plain HTTP': say(`${head}Content-Length: 2\r\n\r\n{}`),
  'an alert': say('\u0015\u0003\u0003\u0000\u0002\u0002\u0028'),
  'half a record': say('\u0016\u0003\u0003\u0040\u0000\u0002'),
  'end of stream': sayAndEnd(''),
  'a reset': sayAndReset(''),
};

export interface HostileServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** @param tls key and certificate; without them, the server speaks no TLS. */
export async function startHostileServer(
  behave: Behaviour,
  tls?: { readonly key: string; readonly cert: string },
): Promise<HostileServer> {
  const sockets = new Set<Duplex>();
  const serve = (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', () => behave(socket));
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => {});
  const port = await listenOnLoopback(server);
  return {
    url: `http${tls === undefined ? '' : 's'}://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
