import type { Server } from 'node:http';
import {
  closeServer,
  LocalRunError,
  lacksAddress,
  listenOnLoopback,
  loopbackHost,
  portInUse,
} from '../emulator/loopback-server.ts';

/** Milliseconds for requests to end when the server stops. A token takes a few. */
const closingGrace = 500;

/** Attempts to find a port that is free on IPv4 and on IPv6. One is nearly always enough. */
const attempts = 5;

/** @returns false if the port is taken on IPv6, of a machine that has it. */
async function listenOnIpv6(server: Server, port: number, purpose: string): Promise<boolean> {
  try {
    await listenOnLoopback(server, { port }, purpose, '::1');
    return true;
  } catch (error) {
    if (lacksAddress(error)) return true;
    if (error instanceof LocalRunError) return false;
    throw error;
  }
}

/**
 * Starts a server on 127.0.0.1 and, if there is IPv6, on ::1, with the same port. A client may
 * resolve `localhost` to either, and must not reach another server.
 *
 * @param port 0 selects a free one.
 * @throws {LocalRunError} if the port is taken on either address.
 */
export async function listenOnLocalhost(createServer: () => Server, port: number, purpose: string) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const ipv4 = createServer();
    const ipv6 = createServer();
    const taken = await listenOnLoopback(ipv4, { port }, purpose, loopbackHost);
    if (await listenOnIpv6(ipv6, taken, purpose)) {
      return {
        port: taken,
        close: async () => {
          await Promise.all([ipv4, ipv6].map((server) => closeServer(server, closingGrace)));
        },
      };
    }
    await closeServer(ipv4);
    if (port !== 0) break;
  }
  throw portInUse(port, purpose);
}

/** An origin as URL parsers write it: without the default port. */
export function localOrigin(scheme: 'http' | 'https', port: number): string {
  return new URL(`${scheme}://localhost:${port}`).origin;
}
