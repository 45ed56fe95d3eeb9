import { once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { InputError } from '../../core/errors.ts';
import type { ListenTarget } from './options.ts';

/** A proxy passes on every header of the client, including cookies. */
const maxHeaderSize = 64 * 1024;

/**
 * Milliseconds after which an idle connection is closed. Proxies close theirs sooner (Envoy after
 * an hour), so a connection is never closed when the proxy is about to use it.
 */
const keepAliveTimeout = 2 * 3_600_000;

/** Milliseconds for the headers of one request: the proxy is on the same host or network. */
const headersTimeout = 10_000;

/** Milliseconds that requests in progress get when the process stops. */
const drainTime = 5000;

export interface ForwardAuthServer {
  /** The address on which it listens, with the selected port if none was configured. */
  readonly address: string;
  /** Accepts no new connection, and closes the others when their requests end. */
  close(): Promise<void>;
}

/**
 * Whether no process has a socket: a killed one leaves its file behind. Other errors than a refusal
 * come from a process that lives: its queue is full, or it speaks datagrams, or is another user's.
 */
function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}

async function listen(server: Server, target: ListenTarget): Promise<void> {
  try {
    await once(server.listen(target), 'listening');
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    // Only a socket that a killed process left is removed, never a file.
    if (
      !isTaken ||
      !('path' in target) ||
      !lstatSync(target.path).isSocket() ||
      !(await isAbandoned(target.path))
    ) {
      const { message } = error as Error;
      throw new InputError(`--listen (FORWARD_AUTH_LISTEN): ${message}`, { cause: error });
    }
    unlinkSync(target.path);
    await once(server.listen(target), 'listening');
  }
}

function formatAddress(server: Server): string {
  const address = server.address() as AddressInfo | string;
  if (typeof address === 'string') return `unix:${address}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** @throws {InputError} if the address cannot be listened on. */
export async function startServer(
  target: ListenTarget,
  handler: RequestListener,
): Promise<ForwardAuthServer> {
  let closing = false;
  const options = { maxHeaderSize, keepAliveTimeout, headersTimeout };
  const server = createServer(options, (request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    handler(request, response);
  });
  // Older versions of Node drop headers above a count, and say nothing. The size is limited.
  server.maxHeadersCount = 0;
  await listen(server, target);
  return {
    address: formatAddress(server),
    close: () =>
      new Promise((resolve) => {
        closing = true;
        const limit = setTimeout(() => server.closeAllConnections(), drainTime);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
      }),
  };
}
