import { type Agent, request } from 'node:http';

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
export function postForToken(post: TokenPost, agent: Agent): Promise<string> {
  const { port, path, headers, body } = post;
  return new Promise((resolve, reject) => {
    const call = request(
      { agent, host: '127.0.0.1', port, path, method: 'POST', headers, timeout },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200 && text.includes('access_token')) resolve(text);
          else reject(new Error(`the server answered ${response.statusCode}: ${text}`));
        });
      },
    );
    call.on('timeout', () => call.destroy(new Error(`no answer within ${timeout} ms`)));
    call.on('error', reject);
    call.end(body);
  });
}
