import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A problem that the person at the terminal can solve: shown without a stack trace. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
}

/** Nothing of the local run is reachable from another machine. */
export const loopbackHost = '127.0.0.1';

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/**
 * Starts a server on loopback. Port 0 takes a free one.
 *
 * @returns the port.
 * @throws {LocalRunError} where the port is taken or not allowed.
 */
export async function listenOnLoopback(
  server: Server,
  port: number,
  purpose: string,
  host: string = loopbackHost,
): Promise<number> {
  try {
    return await listen(server, host, port);
  } catch (error) {
    if (hasCode(error, ['EADDRINUSE'])) {
      throw new LocalRunError(`port ${port}, wanted for the ${purpose}, is in use`, {
        cause: error,
      });
    }
    if (hasCode(error, ['EACCES'])) {
      throw new LocalRunError(`port ${port}, wanted for the ${purpose}, is not allowed to you`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Stops a server at once: idle and busy connections are cut. */
export function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined || error === null ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
