import type { Round } from '../rounds.ts';
import type { PairName, PairsSection } from '../sections/pairs.ts';

/** One figure of one round against what it is held to. */
export interface TargetRow {
  readonly figure: string;
  readonly against: string;
  readonly ours: number;
  /** None if ours is held to a fixed number. */
  readonly other?: number;
  readonly format: (value: number) => string;
  /** Ours divided by the other, or what ours takes more; without another, ours. */
  readonly value: number;
  /** None if the row only shows what is possible. */
  readonly bound?: number;
  /** Of value and bound. */
  readonly unit: 'ratio' | 'KB' | 'calls' | 'ms' | 'µs';
}

const microseconds = (value: number) => `${Math.round(value)} µs`;
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} KB`;

/** A figure, ours, the other, and what their ratio should not exceed. */
type Pair = readonly [figure: string, ours: number, other: number, bound?: number];

function compare(
  against: string,
  format: TargetRow['format'],
  pairs: readonly Pair[],
): readonly TargetRow[] {
  return pairs.map(([figure, ours, other, bound]): TargetRow => {
    const row = { figure, against, ours, other, format, value: ours / other };
    return { ...row, unit: 'ratio', ...(bound !== undefined && { bound }) };
  });
}

/**
 * Our own part of a figure. It follows the processor; the ratio to a floor follows mostly the
 * machine's network stack.
 */
function ownPart(
  unit: 'ms' | 'µs' | 'KB',
  against: string,
  [figure, ours, other]: Pair,
  bound: number | undefined,
): readonly TargetRow[] {
  if (bound === undefined) return [];
  const format = { ms: milliseconds, µs: microseconds, KB: kilobytes }[unit];
  const row = { figure: `own part: ${figure}`, against, ours, other, format, unit, bound };
  return [{ ...row, value: unit === 'KB' ? (ours - other) / 1000 : ours - other }];
}

/** Where the times of the targets were measured: one code took 174 µs on it, and 250 on another. */
const processor = 'AMD EPYC';

/** On another processor than that of the targets, times inform. */
export function targetsOn(cpu: string, rows: readonly TargetRow[]): readonly TargetRow[] {
  if (cpu === processor) return rows;
  return rows.map(({ bound, ...row }) => {
    const isTime = row.unit === 'µs' || row.unit === 'ms';
    return isTime || bound === undefined ? row : { ...row, bound };
  });
}

/** A start on one core, next to the same of the floor. */
function startPairs({ ours, twoCalls }: Round['token']): readonly Pair[] {
  const [own, theirs] = [ours.oneCore, twoCalls.oneCore];
  if (own === undefined || theirs === undefined) return [];
  return [
    ['process start to first token, on one core', own.firstResponseMs, theirs.firstResponseMs],
  ];
}

/** The figures of functions that the speed of a machine can change. */
function functionRows({ token }: Round): readonly TargetRow[] {
  const { ours, twoCalls, delays } = token;
  const name = `warm wall time per token, KMS ${delays.kms} ms and DynamoDB ${delays.dynamodb} ms`;
  const start: Pair = [
    'process start to first token',
    ours.firstResponseMs,
    twoCalls.firstResponseMs,
  ];
  const startPart = startPairs(token);
  const wall: Pair = [name, ours.wallMs, twoCalls.wallMs];
  return [
    ...compare(floor, milliseconds, [start, ...startPart, wall]),
    ...ownPart('ms', floor, start, 18),
    ...startPart.flatMap((pair) => ownPart('ms', floor, pair, 20)),
    ...ownPart('ms', floor, wall, 0.8),
  ];
}

const floor = 'floor: the same two calls and nothing else';

/** What each pair is, what its other side is, and the microseconds, kilobytes or ratio that ours may take. */
const pairTexts: Readonly<
  Record<
    PairName,
    readonly [
      figure: string,
      against: string,
      own?: Readonly<Record<string, number>>,
      ratio?: number,
    ]
  >
> = {
  token: ['CPU of a token', floor, { warm: 190, cold: 350, heap: 34 }],
  fairShare: ['CPU of a token with fairShare', 'the same function without it', {}, 1.02],
  clientKeys: ['CPU of a token with clientKeys', 'the same function without it', {}, 1.01],
  dpop: ['CPU of a token with dpop, without a proof', 'the same function without it', {}, 1.01],
  keyToken: ['CPU of a token by a key', 'a token by a secret'],
  tokenAndDuties: ['CPU of a token', 'the two calls, a verification and a log line'],
  federatedToken: [
    'CPU of a token for an assertion',
    'the two calls, two verifications and a log line',
  ],
  discovery: ['CPU of the discovery document', 'constant answer, same log line', { warm: 3 }],
  jwks: ['CPU of the JWKS', 'constant answer, same log line', { warm: 4 }],
  authorizerToken: [
    'CPU of the authorizer, own token',
    'a verification and the same log line',
    { warm: 16 },
  ],
  authorizerApiKey: ['CPU of the authorizer, API key with scopes', 'the read and nothing else'],
};

/** CPU time of handlers next to their floors, and what they allocate. */
export function pairRows(pairs: PairsSection): readonly TargetRow[] {
  return (Object.keys(pairTexts) as PairName[]).flatMap((name) => {
    const [figure, against, own = {}, ratio] = pairTexts[name];
    return Object.entries(pairs[name] ?? {}).flatMap(([measure, { ours, floor: other }]) => {
      const bound = own[measure];
      if (measure === 'heap') {
        return ownPart('KB', against, [figure.replace('CPU', 'heap'), ours, other], bound);
      }
      const pair: Pair = [`${figure}, ${measure}`, ours, other, ratio];
      return [...compare(against, microseconds, [pair]), ...ownPart('µs', against, pair, bound)];
    });
  });
}

function sizeRows({ token }: Round): readonly TargetRow[] {
  const { bundleBytes: ours } = token.ours;
  const fixed = { value: ours / 1000, bound: 120, unit: 'KB' } as const;
  return [{ figure: 'bundle', against: 'a fixed size', ours, format: kilobytes, ...fixed }];
}

function callRows({ token }: Round): readonly TargetRow[] {
  const expected: Readonly<Record<string, number>> = {
    'first token of a process': 3,
    token: 2,
    'wrong secret': 1,
    'malformed request': 0,
    'no credentials': 0,
  };
  return Object.entries(token.calls).map(([name, counts]) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const text = Object.entries(counts).map(([operation, count]) => `${count} ${operation}`);
    return {
      figure: `backend calls, ${name}`,
      against: '–',
      ours: total,
      format: () => text.join(', ') || 'none',
      value: total,
      bound: expected[name] ?? 0,
      unit: 'calls',
    };
  });
}

/** Every target, in the order of the table. */
export function targetRows(round: Round): readonly TargetRow[] {
  return [...pairRows(round.pairs), ...functionRows(round), ...sizeRows(round), ...callRows(round)];
}
