import { describe, expect, it } from 'vitest';
import { FairShare } from '../../../core/token/fair-share.ts';
import { simulateFlood } from '../../../lab/bench/load/fair-share.ts';
import { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import { figure } from '../../support/figure.ts';

describe('others next to a customer that asks for a token for each call', () => {
  const sizes = [
    [30, 170],
    [130, 1100],
    [330, 1750],
  ] as const;
  const floods = [1, 50].flatMap((hostile) => sizes.map((size) => [hostile, ...size] as const));

  it.each(floods)(
    'get their tokens: by %d clients, %d instances, %d requests a second',
    async (hostile, instances, rate) => {
      const others = await simulateFlood({ instances, rate, hostile });
      figure(
        `others next to ${hostile} clients, ${rate} requests a second, ${instances} instances`,
        { 'percent of their requests': Number(others.toFixed(1)) },
      );
      expect(others).toBeGreaterThan(hostile === 1 ? 99 : 95);
    },
  );

  it('get them above the throttle of the stage only with the web ACL', async () => {
    const above = { instances: 130, rate: 3000 };
    expect(await simulateFlood(above)).toBeLessThan(50);
    expect(await simulateFlood({ ...above, webAcl: true })).toBeGreaterThan(95);
  });
});

/** Every fleet has a trunk group with some hundred small clients. */
function ofDay(clientId: string) {
  return { clientId, serviceTrunkGroup: `group_${Number(clientId.slice('client_'.length)) % 20}` };
}

/** When each process of a client asks for a token, in seconds of a day. */
function playDay(random: Random): Map<number, string[]> {
  const requests = new Map<number, string[]>();
  const add = (second: number, client: string) => {
    const known = requests.get(second);
    if (known === undefined) requests.set(second, [client]);
    else known.push(client);
  };
  for (let client = 0; client < 2000; client++) {
    // Fleets of 200, of which a deploy starts all within seconds, and many small clients.
    const processes = client % 100 === 0 ? 200 : random.integer(1, 6);
    const restartsAtHour = client % 10 === 0;
    for (let one = 0; one < processes; one++) {
      const first =
        client % 100 === 0 ? 36 * client + random.integer(0, 9) : random.integer(0, 3299);
      let at = first;
      while (at < 86_400) {
        add(at, `client_${client}`);
        const next = at + 3480 + random.integer(0, 20);
        const hour = Math.ceil((at + 1) / 3600) * 3600;
        at = restartsAtHour && hour < next ? hour + random.integer(0, 5) : next;
      }
    }
  }
  return requests;
}

describe('a day of 2,000 clients that keep their tokens', () => {
  it('has no limited request, with fleets that start at once and restarts at the full hour', async () => {
    const requests = playDay(new Random(7));
    const instances: FairShare[] = [];
    const settings = { isEnforced: true, signsPerMinute: 240 };
    let count = 0;
    for (let second = 0; second < 86_400; second++) {
      for (const [index, client] of (requests.get(second) ?? []).entries()) {
        // Lambda fills an instance before it starts the next.
        const number = Math.floor(index / 10);
        instances[number] ??= new FairShare(settings, { isShort: () => false });
        await instances[number].take(ofDay(client), { now: second, log: {} }, async () => {});
        count += 1;
      }
    }
    figure('a day of clients that keep their tokens', { requests: count, limited: 0 });
    expect(count).toBeGreaterThan(200_000);
  });
});
