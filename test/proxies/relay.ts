import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a proxy and the check, so that the check can be swapped, can hang or be down
 * without a restart of the proxy.
 */
export interface Relay {
  readonly port: number;
  /** Passes everything to the check at this port of 127.0.0.1. */
  passTo(port: number): Promise<void>;
  /** Takes connections and requests, and never answers. */
  hang(): Promise<void>;
  /** Refuses connections. */
  goDown(): Promise<void>;
  close(): Promise<void>;
}

export async function startRelay(): Promise<Relay> {
  const sockets = new Set<Socket>();
  let target: number | undefined;
  let server: Server | undefined;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  }

  async function listen(port: number): Promise<number> {
    server = createServer((near) => {
      keep(near);
      if (target === undefined) return;
      const far = keep(connect(target, '127.0.0.1'));
      near.pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    await closed;
  }

  const port = await listen(0);

  /** Connections that stand are closed, so that nothing of the mode before goes on. */
  async function restart(next: number | undefined): Promise<void> {
    await stop();
    target = next;
    await listen(port);
  }

  return { port, passTo: restart, hang: () => restart(undefined), goDown: stop, close: stop };
}
