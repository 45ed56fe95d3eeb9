import https from 'node:https';
import { Socket } from 'node:net';

/*
 * Loaded into every Node.js process of a deployment test, the deployed functions included: a
 * connection to a name that the test's public edge serves goes there. This is what DNS does in
 * AWS; addresses, TLS and certificates are checked as ever.
 */

type Target = Readonly<{ host?: string | null; hostname?: string | null; port?: unknown }>;
type Connect = (this: Socket, ...received: unknown[]) => Socket;
type Request = (target: string | Target, ...rest: unknown[]) => unknown;

/** Read each time: the test's own process goes from one edge to the next. */
function isServedByEdge(host: string | null | undefined): boolean {
  const names = process.env['PUBLIC_EDGE_NAMES'];
  return names !== undefined && new RegExp(names).test(host ?? '');
}

const connect = Reflect.get(Socket.prototype, 'connect') as Connect;

function connectToEdge(this: Socket, ...received: unknown[]): Socket {
  // node:net hands on its arguments as one array, with the options first.
  const [options] = (Array.isArray(received[0]) ? received[0] : received) as [Target | undefined];
  if (Number(options?.port) === 443 && isServedByEdge(options?.host)) {
    Object.assign(options ?? {}, { host: '127.0.0.1', port: process.env['PUBLIC_EDGE_PORT'] });
  }
  return connect.apply(this, received);
}

Reflect.set(Socket.prototype, 'connect', connectToEdge);

/** A server of the test, such as an OpenID provider: on this machine, at another port than the emulator's. */
function isServedByTest(host: string | null | undefined, port: unknown): boolean {
  const { AWS_ENDPOINT_URL: emulator = 'http://localhost' } = process.env;
  return host === 'localhost' && Boolean(port) && String(port) !== new URL(emulator).port;
}

/*
 * The emulator puts an `https.request` of its own into functions, which sends every request to
 * amazonaws.com to its one port and drops the host, and makes those to this machine http. Names of
 * the edge and servers of the test go past it.
 */
const request = https.request as Request;
let replacement = request;

function requestPastEmulator(target: string | Target, ...rest: unknown[]): unknown {
  const { hostname, host, port } = typeof target === 'string' ? new URL(target) : target;
  const name = hostname ?? host;
  const isPast = isServedByEdge(name) || isServedByTest(name, port);
  const send = isPast ? request : replacement;
  return send(target, ...rest);
}

Object.defineProperty(https, 'request', {
  get: () => (replacement === request ? request : requestPastEmulator),
  set: (value: Request) => {
    replacement = value;
  },
});
