import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { postForToken, type TokenPost } from './token-load.ts';

/** Requests that are sent when they are due, even if earlier ones have no answer yet. */
export interface Traffic {
  readonly name: string;
  /** Milliseconds from the beginning, in order. */
  readonly arrivals: readonly number[];
  /** Whether connections stay open for the next request. */
  readonly keepsConnections: boolean;
  /** Clients that ask by turns. */
  readonly clients: number;
}

/** Evenly spaced arrivals. */
export function arriveEvenly(perSecond: number, seconds: number): readonly number[] {
  return Array.from({ length: perSecond * seconds }, (_, index) => (index * 1000) / perSecond);
}

/** Clients that do not tell each other when they ask, but all wait for the same time. */
export function arriveAtOnce(count: number): readonly number[] {
  return Array.from({ length: count }, () => 0);
}

/** What is sent: bounded, and only to loopback. */
export const allTraffic: readonly Traffic[] = [
  {
    name: 'burst: from 0 to 500 requests a second, for 10 s',
    arrivals: arriveEvenly(500, 10),
    keepsConnections: true,
    clients: 100,
  },
  {
    name: 'connections come and go: 200 requests a second for 10 s, each on its own connection',
    arrivals: arriveEvenly(200, 10),
    keepsConnections: false,
    clients: 100,
  },
  {
    name: 'full hour: 1,000 clients ask at once, each on its own connection',
    arrivals: arriveAtOnce(1000),
    keepsConnections: false,
    clients: 1000,
  },
];

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
