import type { Agent } from 'node:http';
import { sendRequest } from '../../emulator/http-exchange.ts';

/** A request for a token, to a server on loopback. */
export interface TokenPost {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A hung server ends a measurement after this many milliseconds. */
const timeout = 30_000;

/**
 * @returns the body of a token response.
 * @throws {Error} if the connection fails, or the answer is not a token.
 */
export async function postForToken(post: TokenPost, agent: Agent): Promise<string> {
  const { port, path, headers, body } = post;
  const options = { agent, method: 'POST', headers, timeout };
  const response = await sendRequest(`http://127.0.0.1:${port}${path}`, options, body);
  const text = response.body.toString();
  if (response.status === 200 && text.includes('access_token')) return text;
  throw new Error(`the server answered ${response.status}: ${text}`);
}
