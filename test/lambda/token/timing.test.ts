import { describe, expect, it } from 'vitest';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../support/clients.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { basic, tokenWorld, worldNow } from '../../support/token-world.ts';

const secret = secretValueOf(1);
const world = tokenWorld(
  [
    makeClient({ clientId: clientIdOf(1) }),
    makeClient({
      clientId: clientIdOf(2),
      secrets: [makeSecret(secret, { expiresAt: worldNow - 1 })],
    }),
    makeClient({ clientId: clientIdOf(3), enabled: false }),
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

/**
 * How often a sample of one is above one of the other (Mann-Whitney): 0.5 where times do not tell
 * the two apart, 0 or 1 where each single one does.
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

describe('the time of a refused authentication', () => {
  it('does not tell what was wrong', async () => {
    const samples = new Map<Kind, number[]>(names.map((name) => [name, []]));
    // Turn and turn about, so that what the machine does besides strikes all alike.
    const rounds = 1500;
    for (let round = 0; round < rounds + 200; round += 1) {
      for (let turn = 0; turn < names.length; turn += 1) {
        const kind = names[(round + turn) % names.length] ?? 'a wrong secret';
        const elapsed = await time(kind);
        if (round >= 200) samples.get(kind)?.push(elapsed);
      }
    }
    const base = samples.get('a wrong secret') ?? [];
    for (const name of names.slice(1)) {
      const value = separation(samples.get(name) ?? [], base);
      process.stdout.write(
        `figure: time of ${name} against a wrong secret: samples ${rounds}, separation ${value.toFixed(3)} (0.500 is none)\n`,
      );
      expect(Math.abs(value - 0.5)).toBeLessThan(0.1);
    }
  });

  it('would show a hash comparison that is left out', () => {
    const a = Array.from({ length: 1000 }, (_, at) => 100_000 + (at % 100) * 1000);
    const b = a.map((value) => value + 25_000);
    expect(Math.abs(separation(a, b) - 0.5)).toBeGreaterThan(0.1);
    expect(separation(a, a)).toBeCloseTo(0.5, 1);
  });
});
