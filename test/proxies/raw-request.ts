import { once } from 'node:events';
import { connect } from 'node:net';

/** What arrived on a connection on which one request was written by hand. */
interface RawAnswer {
  readonly status: number;
  /** The connection was answered as a tunnel. */
  readonly isTunnel: boolean;
}

/** What a client sends through a tunnel: a request that no proxy has checked. */
const tunnelledRequest =
  'GET /numbers HTTP/1.1\r\nHost: service\r\nX-Auth-Client-Id: forged\r\n\r\n';

/**
 * Writes a request as it is. After a 101, writes another one into the tunnel, and waits until the
 * other side has answered it.
 *
 * @param lines request line and headers, then the body, which needs its own line ends.
 */
export async function sendRaw(
  address: string,
  lines: readonly string[],
  body = '',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => socket.destroy());
  socket.write(`${[lines[0], `Host: ${hostname}`, ...lines.slice(1)].join('\r\n')}\r\n\r\n${body}`);
  const read = async (until: () => boolean) => {
    while (!until() && !socket.destroyed && !socket.readableEnded) {
      const events = ['data', 'end', 'close'].map((event) => once(socket, event));
      // A refusal may end in a reset, as the rest of the request is not read.
      await Promise.race(events).catch(() => socket.destroy());
    }
  };
  await read(() => text.includes('\r\n\r\n'));
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (status === 101) {
    socket.write(tunnelledRequest);
    await read(() => text.endsWith('tunnelled'));
  }
  const isTunnel = text.endsWith('tunnelled');
  socket.destroy();
  return { status, isTunnel };
}
