import { isIP, type NetConnectOpts, Socket } from 'node:net';

// Called with its own `this` below.
// oxlint-disable-next-line typescript/unbound-method
const connect = Socket.prototype.connect;

function isLoopback(host: string): boolean {
  // RFC 6761 §6.3.
  if (/^(?:.+\.)?localhost$/.test(host)) return true;
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

// Integration tests talk to servers that they started themselves, and to nothing else.
Socket.prototype.connect = function connectToLoopbackAlone(this: Socket, ...args: unknown[]) {
  const [first] = args.flat() as [NetConnectOpts | number | string];
  const host =
    typeof first === 'object' && 'host' in first ? (first.host ?? 'localhost') : 'localhost';
  if (!isLoopback(host)) throw new Error(`integration tests stay on loopback, refused: ${host}`);
  return Reflect.apply(connect, this, args) as Socket;
};
