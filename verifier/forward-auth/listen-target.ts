import { isLoopbackAddress, parseIpAddress } from '../../core/network/ip-address.ts';

/** The address on which the process listens. */
export type ListenTarget =
  | { readonly path: string; readonly isBeyondLoopback: false }
  | { readonly host: string; readonly port: number; readonly isBeyondLoopback: boolean };

const socketPattern = /^unix:(\/.+)$/;
const addressPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/;

/**
 * Reads `127.0.0.1:9100`, `[::1]:9100`, `localhost:9100` or `unix:/run/forward-auth.sock`. Port 0
 * selects a free port.
 *
 * @returns undefined if the text has none of these forms.
 */
export function parseListenTarget(text: string): ListenTarget | undefined {
  const path = socketPattern.exec(text)?.[1];
  if (path !== undefined) return { path, isBeyondLoopback: false };
  const [, bracketed, plain, portText] = addressPattern.exec(text) ?? [];
  const name = bracketed ?? plain;
  const port = Number(portText);
  if (name === undefined || port > 65_535) return undefined;
  const host = name === 'localhost' ? '127.0.0.1' : name;
  const address = parseIpAddress(host);
  if (address === undefined) return undefined;
  return { host, port, isBeyondLoopback: !isLoopbackAddress(address) };
}
