import { Agent } from 'node:http';
import { sendRequest } from '../../emulator/http-exchange.ts';
import { clientId, secretValue, tokenRequestBody, tokenRequestHeaders } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';

/** A request for a token, to a server on loopback. */
interface TokenPost {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** A hung server ends a measurement after this many milliseconds. */
const timeout = 30_000;

/** A request of a client with a secret. */
export function createTokenPost(
  { port, path }: Pick<TokenPost, 'port' | 'path'>,
  id = clientId,
  secret = secretValue,
): TokenPost {
  const [, authorization = '', , contentType = ''] = tokenRequestHeaders(secret, id);
  const headers = { authorization, 'content-type': contentType };
  return { port, path, headers, body: tokenRequestBody };
}

/**
 * @returns the body of a token response.
 * @throws {Error} if the connection fails, or the answer is not a token.
 */
async function postForToken(post: TokenPost, agent: Agent): Promise<string> {
  const { port, path, headers, body } = post;
  const options = { agent, method: 'POST', headers, timeout };
  const response = await sendRequest(`http://127.0.0.1:${port}${path}`, options, body);
  const text = response.body.toString();
  if (response.status === 200 && text.includes('access_token')) return text;
  throw new Error(`the server answered ${response.status}: ${text}`);
}

/**
 * Keeps so many connections busy: each asks again when it has its answer.
 *
 * @returns how long each answer took, in milliseconds.
 */
export async function keepBusy(
  connections: number,
  isMore: () => boolean,
  send: (agent: Agent) => Promise<unknown>,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  const run = async (): Promise<void> => {
    while (isMore()) {
      const start = performance.now();
      await send(agent);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  agent.destroy();
  return latencies;
}

/** Asks for so many tokens, before anything is measured. */
export async function warmUp(
  post: TokenPost,
  { connections, requests }: { readonly connections: number; readonly requests: number },
): Promise<void> {
  let begun = 0;
  const isMore = () => {
    begun += 1;
    return begun <= requests;
  };
  await keepBusy(connections, isMore, (agent) => postForToken(post, agent));
}

/** Asks for tokens for so many seconds. */
export async function putLoad(
  post: TokenPost,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<LoadResult> {
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const isMore = () => performance.now() < end;
  const latencies = await keepBusy(connections, isMore, (agent) => postForToken(post, agent));
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / (performance.now() - begin),
    medianMs: median(latencies),
    p99Ms: percentile(latencies, 0.99),
  };
}
