import type { Agent } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the agent connects with. Node documents `options`; its types leave it out. */
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

/** Host without the brackets of an IPv6 address, as sockets want it. */
export function hostOf(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, '');
}

/**
 * Lets an agent have one connection before there is a request for it: the handshake goes on while
 * a function is still loading, and the first request takes the connection, open or half open.
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
      // No one waits for it yet. A request that finds it broken opens its own.
      socket.on('error', () => socket.destroy());
      opened = socket;
    },
    close: () => opened?.destroy(),
  };
}
