import type { Agent } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';

/** The options that the agent connects with. Node documents `options`, but its types lack it. */
interface Connecting {
  readonly options: Readonly<Record<string, unknown>>;
  createConnection(
    options: Readonly<Record<string, unknown>>,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex;
}

export interface OpenedAhead {
  open(): void;
  close(): void;
}

/** Host without the brackets of an IPv6 address, as sockets need it. */
export function hostOf(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, '');
}

/**
 * Opens a connection of an agent before the first request. The handshake runs while a function is
 * still loading, and the first request uses the connection, even if it is still being opened.
 */
export function openAhead(agent: Agent, url: URL): OpenedAhead {
  const connecting = agent as unknown as Connecting;
  const create = connecting.createConnection.bind(agent);
  const host = hostOf(url);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const servername = isIP(host) === 0 ? host : '';
  let opened: Duplex | undefined;
  connecting.createConnection = (options, callback) => {
    const ready = opened;
    opened = undefined;
    return ready?.destroyed === false ? ready : create(options, callback);
  };
  return {
    open: () => {
      const socket = create({ ...connecting.options, host, port, servername });
      // No request waits for it yet. When it is broken, the first request opens its own.
      socket.on('error', () => socket.destroy());
      opened = socket;
    },
    close: () => opened?.destroy(),
  };
}
