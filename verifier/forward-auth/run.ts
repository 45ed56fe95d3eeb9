import { once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { checkServedIssuer } from '../../adapters/https/service-requests.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import { createDynamoDbLookups, type DynamoDbLookups } from '../dynamodb-lookups.ts';
import { createVerifier, type RevocationOptions } from '../verifier.ts';
import { createDecisionLog, type DecisionLog, type WriteLog } from './decision-log.ts';
import { createHandler } from './handler.ts';
import type { ForwardAuthOptions, ListenTarget } from './options.ts';

export interface RunningForwardAuth {
  /** On which it listens, with the selected port if none was configured. */
  readonly address: string;
  /** Accepts no new connection, and closes the others when their requests end. */
  close(): Promise<void>;
}

function openLookups(
  { tables, cacheSeconds }: ForwardAuthOptions,
  write: WriteLog,
): DynamoDbLookups | undefined {
  if (tables === undefined) return undefined;
  const onReadOneByOne = (error: unknown) => {
    const reason = `BatchGetItem is refused: ${error instanceof Error ? error.name : 'unknown'}`;
    write({ level: 'warn', message: 'records are read one by one', fields: { reason } });
  };
  return createDynamoDbLookups({ tables, cacheSeconds, onReadOneByOne });
}

/** `options.onLookupFailure` is set only with tables. */
function readRevocation(
  { onLookupFailure }: ForwardAuthOptions,
  lookups: DynamoDbLookups | undefined,
  log: DecisionLog,
): RevocationOptions | undefined {
  if (onLookupFailure === undefined || lookups === undefined) return undefined;
  const { clients } = lookups.providers;
  return onLookupFailure === 'refuse'
    ? { clients, onLookupFailure }
    : {
        clients,
        onLookupFailure,
        onAcceptedWithoutLookup: (caller) => log.acceptedWithoutLookup(caller),
      };
}

/**
 * Starts the check. It listens at once, and is ready when the issuer, its keys and the tables have
 * answered.
 *
 * @param onMistake receives each mistake in the configuration that the start check finds.
 * @throws {InputError} if an option cannot be used, or the address cannot be listened on.
 */
export async function startForwardAuth(
  options: ForwardAuthOptions,
  write: WriteLog,
  onMistake: (error: unknown) => void,
): Promise<RunningForwardAuth> {
  const { issuer, audiences, defaultAudience, realm, resource, resourceScopes } = options;
  const lookups = openLookups(options, write);
  const log = createDecisionLog(options.log, write);
  const verifier = createVerifier({
    issuer,
    audience: audiences,
    defaultAudience,
    realm,
    resource,
    resourceScopes,
    allowLoopbackProviders: options.allowLoopbackProviders,
    tokenMemory: options.tokenMemory,
    dpop: options.proofs,
    accessTokenType: options.accessTokenType,
    apiKeys: lookups?.apiKeys,
    providers: lookups?.providers,
    revocation: readRevocation(options, lookups, log),
  });
  let reason = (): string | undefined => 'the process is starting';
  const handler = createHandler({
    verifier,
    log,
    clientAddressHeader: options.clientAddressHeader,
    proofs: options.proofs,
    notReady: () => reason(),
  });
  const server = await startServer(options.listen, handler);
  write({ level: 'info', message: 'listening', fields: { address: server.address } });
  async function check(): Promise<void> {
    await checkServedIssuer({ issuer });
    await verifier.preload();
    await lookups?.checkTables();
  }
  const readiness = createReadiness(check, onMistake, write);
  reason = () => readiness.reason();
  return {
    address: server.address,
    async close() {
      readiness.stop();
      await server.close();
      lookups?.close();
    },
  };
}

/**
 * Milliseconds between two checks when something does not answer: long enough to cause no load,
 * short enough to wait for.
 */
const retryPause = 1000;

/**
 * Repeats the start check until it passes. It is not repeated after that: each response shows a
 * later outage, and own tokens are still verified.
 *
 * @param check throws UnavailableError if something does not answer.
 * @param onMistake receives every other error: the configuration is wrong.
 */
function createReadiness(
  check: () => Promise<void>,
  onMistake: (error: unknown) => void,
  write: WriteLog,
) {
  const stopping = new AbortController();
  let reason: string | undefined = 'the start check is not done yet';

  async function run(): Promise<void> {
    try {
      await check();
      reason = undefined;
      write({ level: 'info', message: 'ready' });
    } catch (error) {
      if (!(error instanceof UnavailableError)) return onMistake(error);
      // Log each reason only once, not every second.
      if (reason !== error.message) {
        write({ level: 'warn', message: 'not ready', fields: { reason: error.message } });
      }
      reason = error.message;
      await wait(retryPause, undefined, { signal: stopping.signal });
      return run();
    }
  }

  run().catch((error: unknown) => {
    if (!stopping.signal.aborted) onMistake(error);
  });
  return {
    /** Why the process is not ready, or undefined if it is. */
    reason: () => (stopping.signal.aborted ? 'the process is stopping' : reason),
    /** Makes the process not ready from now on. */
    stop: () => stopping.abort(),
  };
}

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
): Promise<RunningForwardAuth> {
  let closing = false;
  const options = { maxHeaderSize, keepAliveTimeout, headersTimeout };
  const server = createServer(options, (request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    handler(request, response);
  });
  // Older versions of Node drop headers above a count, and say nothing. The size is bounded.
  server.maxHeadersCount = 0;
  await listen(server, target);
  return {
    address: formatAddress(server),
    close: () =>
      new Promise((resolve) => {
        closing = true;
        const timer = setTimeout(() => server.closeAllConnections(), drainTime);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
