import { describe, expect, it } from 'vitest';
import { replicationLag } from '../../../core/key-rotation/rotation-ports.ts';

const now = 1_800_000_000;
const at = (regionId: 'slc' | 'dfw' | 'pit', ago: number) => ({ regionId, at: now - ago });

describe('the replication lag', () => {
  it.each([
    ['nothing', [], 0],
    ['only its own heartbeat', [at('slc', 9000)], 0],
    ["another region's", [at('slc', 0), at('dfw', 120)], 120],
    ["the newest of several others'", [at('slc', 0), at('dfw', 900), at('pit', 70)], 70],
    ['one of a clock that is ahead', [at('dfw', -5)], 0],
  ] as const)('of a region that sees %s', (_, heartbeats, lag) => {
    expect(replicationLag('slc', heartbeats, now)).toBe(lag);
  });
});
