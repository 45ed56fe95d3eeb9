import { describe, expect, it } from 'vitest';
import {
  equalsHash,
  hashSecret,
  impossibleHash,
} from '../../../core/credential/credential-value.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { figure } from '../../support/figure.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { tokenWorld } from '../../support/token-world.ts';

const secret = secretValueOf(1);
const world = tokenWorld(
  [
    makeClient({ clientId: clientIdOf(1) }),
    makeClient({
      clientId: clientIdOf(2),
      secrets: [makeSecret(secret, { expiresAt: worldNow - 1 })],
    }),
    makeClient({ clientId: clientIdOf(3), stops: personStop }),
  ],
  recordTelemetry().telemetry,
);

const kinds = {
  'a wrong secret': basic(clientIdOf(1), secretValueOf(9)),
  'an unknown client': basic(clientIdOf(8), secret),
  'an expired secret': basic(clientIdOf(2), secret),
  'a disabled client': basic(clientIdOf(3), secret),
} as const;
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

let serial = 0;

/** From a source of its own each, so that none is refused for its failures. */
async function time(kind: Kind): Promise<number> {
  serial += 1;
  const sourceIp = `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`;
  const start = process.hrtime.bigint();
  const { statusCode } = await world.issue({ headers: { Authorization: kinds[kind] }, sourceIp });
  const elapsed = Number(process.hrtime.bigint() - start);
  if (statusCode !== 401) throw new Error(`${kind}: ${statusCode}`);
  return elapsed;
}

/** What other processes take away only makes an attempt slower: the fastest of a few is its own. */
async function fastest(kind: Kind): Promise<number> {
  return Math.min(await time(kind), await time(kind), await time(kind));
}

/**
 * How often a sample of one is above one of the other (Mann-Whitney): 0.5 if times do not tell
 * the two apart, 0 or 1 if each single one does.
 */
function separation(a: readonly number[], b: readonly number[]): number {
  const sorted = b.toSorted((x, y) => x - y);
  let wins = 0;
  for (const value of a) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    wins += low / sorted.length;
  }
  return wins / a.length;
}

/** Rounds before the measured ones, in which the code is compiled. */
const warmUp = 200;

async function sample(some: readonly Kind[], rounds: number) {
  const samples = new Map<Kind, number[]>(some.map((kind) => [kind, []]));
  // Turn and turn about, so that what the machine does as well strikes all alike.
  for (let round = 0; round < rounds + warmUp; round += 1) {
    for (let turn = 0; turn < some.length; turn += 1) {
      const kind = some[(round + turn) % some.length] ?? 'a wrong secret';
      const elapsed = await fastest(kind);
      if (round >= warmUp) samples.get(kind)?.push(elapsed);
    }
  }
  return (kind: Kind): readonly number[] => samples.get(kind) ?? [];
}

/** Six times what chance does to so many samples; one hash more or less separates by 0.1 to 0.25. */
const bound = 0.06;

describe('the time of a refused authentication', () => {
  it('does not tell what was wrong', async () => {
    const rounds = 1500;
    const samplesOf = await sample(names, rounds);
    for (const name of names.slice(1)) {
      const value = separation(samplesOf(name), samplesOf('a wrong secret'));
      figure(`time of ${name} against a wrong secret`, {
        samples: rounds,
        'separation (0.5 is none)': value.toFixed(3),
      });
      expect(Math.abs(value - 0.5)).toBeLessThan(bound);
    }
  });

  it('would tell if one of them cost the comparison of a secret more', async () => {
    const find = world.stores.findClient.getMockImplementation();
    world.stores.findClient.mockImplementation(async (clientId) => {
      // What every attempt costs, once more.
      if (clientId === clientIdOf(8)) {
        const hash = hashSecret(secret);
        for (let count = 0; count < 4; count += 1) equalsHash(hash, impossibleHash);
      }
      return find?.(clientId);
    });
    const samplesOf = await sample(['a wrong secret', 'an unknown client'], 1500);
    const value = separation(samplesOf('an unknown client'), samplesOf('a wrong secret'));
    figure('time of an attempt that hashes twice', {
      'separation (0.5 is none)': value.toFixed(3),
    });
    expect(value - 0.5).toBeGreaterThan(bound);
  });
});
