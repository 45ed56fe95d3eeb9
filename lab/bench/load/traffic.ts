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
