import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { postForToken, type TokenPost } from './post.ts';
import type { Traffic } from './traffic.ts';

/** What became of one request. */
export interface Sample {
  /** Milliseconds from the beginning of the traffic. */
  readonly arrivedAt: number;
  readonly answeredAt: number;
  /** None if there was no token. */
  readonly token?: string;
  readonly error?: string;
}

/** Sends a request at each of its times. Time is counted from then, even if it is sent late. */
export async function sendTraffic(
  traffic: Traffic,
  postOf: (client: number) => TokenPost,
): Promise<readonly Sample[]> {
  const agent = new Agent({ keepAlive: traffic.keepsConnections });
  const begin = performance.now();
  const now = () => performance.now() - begin;
  const send = async (arrivedAt: number, client: number): Promise<Sample> => {
    try {
      const body = await postForToken(postOf(client), agent);
      const { access_token: token } = JSON.parse(body) as { readonly access_token: string };
      return { arrivedAt, answeredAt: now(), token };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      // After the colon is the body, which differs.
      return { arrivedAt, answeredAt: now(), error: text.split(':')[0] ?? '' };
    }
  };
  const sent: Promise<Sample>[] = [];
  for (const [index, arrivedAt] of traffic.arrivals.entries()) {
    while (now() < arrivedAt) await wait(1);
    sent.push(send(arrivedAt, index % traffic.clients));
  }
  const samples = await Promise.all(sent);
  agent.destroy();
  return samples;
}
