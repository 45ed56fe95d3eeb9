import { maxReusableTokens } from '../../../contract/limits.ts';
import { TokenReuse } from '../../../core/token/token-reuse.ts';
import { SeededRandom } from '../../emulator/faults/seeded-random.ts';
import { clientIdOf } from '../../support/clients.ts';
import { worldNow } from '../../support/token-settings.ts';

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

/** Requests of one client differ only in their times. */
function claimsOf(client: number, now: number) {
  const clientId = clientIdOf(client);
  return {
    iss: 'i',
    sub: clientId,
    aud: 'a',
    client_id: clientId,
    iat: now,
    exp: now + lifetime,
    jti: 'j',
    scope: 's',
    service_trunk_group: 'g',
  };
}

async function replay(
  trace: readonly Request[],
  minimumRemainingShare: number,
  instances: number,
): Promise<ReusePoint> {
  const random = new SeededRandom(2);
  const fleet = Array.from(
    { length: instances },
    () => new TokenReuse({ minimumRemainingShare, maxTokens: maxReusableTokens }),
  );
  let signs = 0;
  for (const { time, client } of trace) {
    const claims = claimsOf(client, worldNow + time);
    const request = { claims, secretHash: claims.sub, clientVersion: 1, kid: 'key' };
    await fleet[Math.floor(random.next() * instances)]?.take(request, async () => {
      signs += 1;
      return { jws: '', kid: 'key', unusableKids: [], claims };
    });
  }
  return { minimumRemainingShare, instances, tokens: trace.length, signs };
}

/** Replays a day on what reuses tokens; the clock and the signatures are not real. */
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
