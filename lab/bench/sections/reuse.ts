import {
  type ReuseRequest,
  type SignedToken,
  TokenReuse,
} from '../../../core/token/token-reuse.ts';
import { SeededRandom } from '../../emulator/faults/seeded-random.ts';
import { clientIdOf, makeClient } from '../../support/clients.ts';
import { TokenFleet } from '../../support/token-fleet.ts';
import { environments, issuer } from '../scenario.ts';

/** What one setting does to a day of a fleet of clients. */
export interface ReusePoint {
  /** None: reuse is off. */
  readonly minimumRemainingShare: number | undefined;
  /** Function instances that the requests fall on by chance. Each keeps its own tokens. */
  readonly instances: number;
  readonly tokens: number;
  readonly signs: number;
  /** Only if instances share tokens: what the table took. */
  readonly table?: { readonly reads: number; readonly writes: number } | undefined;
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

function reuseRequestOf({ time, client }: Request): ReuseRequest {
  const id = `client_${client}`;
  return {
    claims: {
      iss: issuer,
      sub: id,
      aud: environments.token.AUTH_DEFAULT_AUDIENCE,
      client_id: id,
      iat: time,
      exp: time + lifetime,
      jti: `${time}`,
      scope: 'messaging:view',
      service_trunk_group: 'stg',
    },
    secretHash: 'sha256$secret',
    clientVersion: 1,
    kid: 'kid',
  };
}

async function replay(
  trace: readonly Request[],
  minimumRemainingShare: number | undefined,
  instances: number,
): Promise<ReusePoint> {
  const random = new SeededRandom(2);
  let signs = 0;
  const settings = { minimumRemainingShare: minimumRemainingShare ?? 1, maxTokens: 1000 };
  const fleet = Array.from({ length: instances }, () => new TokenReuse(settings));
  for (const request of trace) {
    const wanted = reuseRequestOf(request);
    const sign = (): Promise<SignedToken> => {
      signs += 1;
      return Promise.resolve({ jws: '', claims: wanted.claims, kid: 'kid', unusableKids: [] });
    };
    const reuse = fleet[Math.floor(random.next() * instances)];
    await (minimumRemainingShare === undefined ? sign() : reuse?.take(wanted, sign));
  }
  return { minimumRemainingShare, instances, tokens: trace.length, signs };
}

/** The same with the whole of the token issuer, real signatures, and a table in memory. */
async function replayShared(
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
  const { signs, table } = fleet;
  const { reads, writes } = table;
  return {
    minimumRemainingShare,
    instances,
    tokens: trace.length,
    signs,
    table: { reads, writes },
  };
}

/** Replays a day on the very code that keeps tokens; only the clock and the signature are not real. */
export async function runReuseSection(): Promise<ReuseSection> {
  const trace = createTrace(new SeededRandom(1));
  const points: ReusePoint[] = [];
  for (const [share, instances] of [
    [undefined, 1],
    [0.9, 1],
    [0.5, 1],
    [0.5, 4],
    [0.5, 16],
    [0.1, 1],
    [0.1, 4],
  ] as const) {
    points.push(await replay(trace, share, instances));
  }
  for (const instances of [1, 4, 16, 64]) points.push(await replayShared(trace, 0.5, instances));
  return points;
}
