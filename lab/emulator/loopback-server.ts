import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';

/** A problem that the user can solve. It is shown without a stack trace. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
}

/** No part of the local run can be reached from another machine. */
export const loopbackHost = '127.0.0.1';

/** The highest port of TCP. */
export const maxPort = 65_535;

/** Which port a server takes. */
export interface PortChoice {
  /** 0 selects a free one. */
  readonly port: number;
  /** Whether a free port may be used if this one is taken. */
  readonly orFree?: boolean;
}

/** Open connections of each server, also those of TLS whose handshake is not complete. */
const connectionsOf = new WeakMap<NetServer, Set<Socket>>();

function watchConnections(server: NetServer): void {
  if (connectionsOf.has(server)) return;
  const connections = new Set<Socket>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
}

function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Whether this machine has no IPv6 on loopback. */
export function lacksAddress(error: unknown): boolean {
  return hasCode(error instanceof Error ? error.cause : error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT');
}

/** The variables of `npm start`, by what a port is for. */
const portVariables: Readonly<Record<string, string>> = {
  service: 'PORT',
  'DynamoDB server': 'DYNAMODB_PORT',
  'KMS server': 'KMS_PORT',
  portal: 'PORTAL_PORT',
};

export function portInUse(port: number, purpose: string, options?: ErrorOptions): LocalRunError {
  const variable = portVariables[purpose] ?? 'PORT';
  return new LocalRunError(
    `port ${port} for the ${purpose} is in use; ${variable}=<number> selects another`,
    options,
  );
}

function explain(error: unknown, port: number, purpose: string): Error {
  const cause = { cause: error };
  if (hasCode(error, 'EADDRINUSE')) {
    return portInUse(port, purpose, cause);
  }
  if (hasCode(error, 'EACCES')) {
    return new LocalRunError(`you may not use port ${port} for the ${purpose}`, cause);
  }
  return new Error(`could not start the ${purpose}`, cause);
}

/**
 * Starts a server on loopback.
 *
 * @returns the port.
 * @throws {LocalRunError} if the port is taken or not allowed.
 */
export async function listenOnLoopback(
  server: NetServer,
  choice: PortChoice = { port: 0 },
  purpose = 'server',
  host: string = loopbackHost,
): Promise<number> {
  watchConnections(server);
  try {
    return await listen(server, host, choice.port);
  } catch (error) {
    if (choice.orFree === true) return listenOnLoopback(server, { port: 0 }, purpose, host);
    throw explain(error, choice.port, purpose);
  }
}

/** Ports that no system gives to a connection by itself: Linux begins at 32,768, others later. */
const notEphemeral = { from: 20_000, to: 32_767 } as const;

/**
 * A port that is free, for a program that cannot choose one itself or that takes its port again. A
 * program that asks the system for any port does not get this one meanwhile.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = randomInt(notEphemeral.from, notEphemeral.to + 1);
    const found = await listen(server, loopbackHost, port).catch(() => undefined);
    if (found === undefined) continue;
    await closeServer(server);
    return found;
  }
}

/**
 * Stops a server: it accepts no new connections, closes idle ones, and closes busy ones after the
 * grace period.
 *
 * @param grace milliseconds.
 */
export async function closeServer(server: Server, grace = 0): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const cut = setTimeout(() => {
    server.closeAllConnections();
    // Node counts a connection with TLS only from its handshake on.
    for (const socket of connectionsOf.get(server) ?? []) socket.destroy();
  }, grace);
  await closed;
  clearTimeout(cut);
}
