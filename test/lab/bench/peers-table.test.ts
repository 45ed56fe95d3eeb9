import { describe, expect, it } from 'vitest';
import { findAhead, formatPeers, type PeerRow } from '../../../lab/bench/peers/table.ts';
import { bandOf } from '../../../lab/bench/statistics.ts';

const plan = { warmUpSeconds: 21, seconds: 7, runs: 3, connections: 50 };

const about = (name: string): PeerRow => ({
  name,
  version: '1.0',
  settings: 'defaults',
  day: '2026-11-22',
  plan,
  load: { before: 1, after: 2 },
});

function row(name: string, cpu: readonly number[], megabytes: number): PeerRow {
  return {
    ...about(name),
    bytes: 2_500_000,
    figures: { cpuUs: bandOf(cpu), p99Ms: 40.4, firstTokenMs: 1234, megabytes },
    signatureUs: 250,
  };
}

const absent: PeerRow = { ...about('Absent'), skipped: 'go failed: no such command' };
const ours = row('ours', [400, 410, 420], 200);
const peer = row('Small', [900, 1000, 950], 80);

describe('the table of peers', () => {
  const roles = {
    ours: ['ours'],
    peers: ['Small', 'Absent'],
    targets: [
      { ours: 'ours', other: 'bare', bound: 1.2 },
      { ours: 'ours', other: 'Absent', bound: 1.2 },
    ],
  };
  const rows = [row('bare', [300, 320, 310], 100), ours, peer, absent];
  const lines = formatPeers(rows, 'a machine, 2 cores', roles).split('\n');

  it('has every figure of a peer with its band, and why a peer was not measured', () => {
    expect(lines[3]).toBe(
      '| ours 1.0 | 0.41 ms | 0.40 to 0.42 | 0.16 ms | 2,439 | 40 ms | 1.2 s | 200 MB | 3 MB | 1 to 2 | defaults |',
    );
    expect(lines[5]).toBe(
      '| Absent 1.0 | skipped: go failed: no such command |  |  |  |  |  |  |  |  |  |',
    );
  });

  it('compares what has a target, if both were measured', () => {
    expect(lines.filter((line) => line.startsWith('- CPU'))).toEqual([
      '- CPU per token: ours takes 1.32 times what bare takes (1.25 to 1.40); to reach: ≤ 1.2: short.',
    ]);
  });

  it('names the peers that are ahead in a column', () => {
    expect(lines.at(-1)).toBe(
      '- Ahead of ours: CPU per token: no peer; p99 at 50 connections: no peer; start to first token: no peer; memory: Small; installed: no peer.',
    );
  });

  it('says how long each row was measured', () => {
    const short = { ...peer, plan: { ...plan, seconds: 3 } };
    expect(formatPeers([ours, short], 'a machine', roles)).toContain(
      'Medians of 3 runs of 7 s after a warm-up of 21 s, or 3 runs of 3 s after a warm-up of 21 s.',
    );
  });
});

describe('a peer that was not measured', () => {
  it('is not ahead of anything', () => {
    expect(Object.values(findAhead(ours, [absent])).flat()).toEqual([]);
  });
});
