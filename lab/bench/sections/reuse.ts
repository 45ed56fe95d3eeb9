import { SeededRandom } from '../../emulator/faults/seeded-random.ts';
import { clientIdOf, makeClient } from '../../support/clients.ts';
import { TokenFleet } from '../../support/token-fleet.ts';

/** What one setting does to a day of a fleet of clients. */
interface ReusePoint {
  /** None: reuse is off. */
  readonly minimumRemainingShare: number | undefined;
  /** Function instances that the requests fall on by chance. Each keeps its own tokens. */
  readonly instances: number;
  readonly tokens: number;
  readonly signs: number;
}

export type ReuseSection = readonly ReusePoint[];

/** A trace: so many clients ask for a token with each of their jobs, every few minutes. */
const clients = 200;
const minInterval = 120;
const maxInterval = 600;
const day = 86_400;
const lifetime = 3600;

interface Request {
  readonly time: number;
  readonly client: number;
}

function createTrace(random: SeededRandom): readonly Request[] {
  const requests: Request[] = [];
  for (let client = 0; client < clients; client += 1) {
    let time = random.next() * maxInterval;
    while (time < day) {
      requests.push({ time: Math.floor(time), client });
      time += minInterval + random.next() * (maxInterval - minInterval);
    }
  }
  return requests.sort((a, b) => a.time - b.time);
}

async function replay(
  trace: readonly Request[],
  minimumRemainingShare: number,
  instances: number,
): Promise<ReusePoint> {
  const random = new SeededRandom(2);
  const fleet = new TokenFleet(instances, minimumRemainingShare);
  const begin = fleet.now;
  for (let client = 0; client < clients; client += 1) {
    const clientId = clientIdOf(client);
    fleet.clients.set(clientId, makeClient({ clientId, tokenLifetime: lifetime }));
  }
  for (const { time, client } of trace) {
    fleet.now = begin + time;
    await fleet.ask(Math.floor(random.next() * instances), { client });
  }
  return { minimumRemainingShare, instances, tokens: trace.length, signs: fleet.signs };
}

/** Replays a day on the token issuer as it is; only the clock is not real. */
export async function runReuseSection(): Promise<ReuseSection> {
  const trace = createTrace(new SeededRandom(1));
  const { length: tokens } = trace;
  const off = { minimumRemainingShare: undefined, instances: 1, tokens, signs: tokens };
  const points: ReusePoint[] = [off];
  for (const [share, instances] of [
    [0.9, 1],
    [0.5, 1],
    [0.5, 4],
    [0.5, 16],
    [0.1, 1],
    [0.1, 4],
  ] as const) {
    points.push(await replay(trace, share, instances));
  }
  return points;
}
