import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from '../../lab/emulator/loopback-server.ts';

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

  async function listen(port: number): Promise<number> {
    server = createServer((near) => {
      sockets.add(near);
      near.on('close', () => sockets.delete(near)).on('error', () => near.destroy());
      if (target === undefined) return;
      const far = connect(target, '127.0.0.1').on('error', () => near.destroy());
      near.pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroySoon());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /**
   * Ends each connection and waits until the proxy has, too: one that has not seen the end yet would
   * send its next request on a connection that is dead.
   */
  async function stop(): Promise<void> {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const socket of sockets) socket.resume().end();
    const limit = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, 5000);
    await closed;
    clearTimeout(limit);
  }

  const port = await listen(await findFreePort());

  /** Connections that stand are closed, so that nothing of the mode before goes on. */
  async function restart(next: number | undefined): Promise<void> {
    await stop();
    target = next;
    await listen(port);
  }

  return { port, passTo: restart, hang: () => restart(undefined), goDown: stop, close: stop };
}
