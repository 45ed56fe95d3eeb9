import type { PairFigures, PairMeasure } from '../pairs.ts';
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
  /** Times: ours divided by the other. The heap: what ours takes more. Without another, ours. */
  readonly value: number;
  /** It holds on any machine. None if the row only shows what is possible. */
  readonly bound?: number;
  /** Of value and bound. */
  readonly unit: 'ratio' | 'KB' | 'calls';
}

const microseconds = (value: number) => `${Math.round(value)} µs`;
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} KB`;

/** Ours next to what it is held to, as a ratio: a time in microseconds holds on one machine. */
function compare(
  figure: string,
  against: string,
  format: TargetRow['format'],
  {
    ours,
    other,
    bound,
  }: { readonly ours: number; readonly other: number; readonly bound?: number },
): TargetRow {
  const row = { figure, against, ours, other, format, value: ours / other, unit: 'ratio' } as const;
  return bound === undefined ? row : { ...row, bound };
}

const floor = 'floor: the same two calls and nothing else';

/** The figures of functions that the speed of a machine can change. */
function functionRows({ token }: Round): readonly TargetRow[] {
  const { ours, twoCalls, delays } = token;
  const first = 'process start to first token';
  const wall = `warm wall time per token, KMS ${delays.kms} ms and DynamoDB ${delays.dynamodb} ms`;
  const figures: readonly (readonly [string, number | undefined, number | undefined, number])[] = [
    [first, ours.firstResponseMs, twoCalls.firstResponseMs, 1.25],
    [
      `${first}, on one core`,
      ours.oneCore?.firstResponseMs,
      twoCalls.oneCore?.firstResponseMs,
      1.25,
    ],
    [wall, ours.wallMs, twoCalls.wallMs, 1.1],
  ];
  return figures.flatMap(([figure, own, other, bound]) =>
    own === undefined || other === undefined
      ? []
      : [compare(figure, floor, milliseconds, { ours: own, other, bound })],
  );
}

/** What each pair is, what its other side is, and the ratio, or kilobytes more, that ours may take. */
const pairTexts: Readonly<
  Record<
    PairName,
    readonly [
      figure: string,
      against: string,
      bounds?: Readonly<Partial<Record<PairMeasure, number>>>,
    ]
  >
> = {
  // Warm, one tree was 1.42 to 2.01 on six machines: a floor of two calls follows their network stack.
  token: ['CPU of a token', floor, { cold: 1.5, heap: 34 }],
  fairShare: ['CPU of a token with fairShare', 'the same function without it', { warm: 1.02 }],
  clientKeys: ['CPU of a token with clientKeys', 'the same function without it', { warm: 1.01 }],
  dpop: [
    'CPU of a token with dpop, without a proof',
    'the same function without it',
    { warm: 1.01 },
  ],
  discovery: ['CPU of the discovery document', 'constant answer, same log line', { warm: 1.5 }],
  jwks: ['CPU of the JWKS', 'constant answer, same log line', { warm: 1.5 }],
  authorizerToken: [
    'CPU of the authorizer, own token',
    'a verification and the same log line',
    { warm: 1.45 },
  ],
  authorizerApiKey: ['CPU of the authorizer, API key with scopes', 'the read and nothing else'],
};

/** CPU time of handlers next to their floors, and what they allocate. */
export function pairRows(pairs: PairsSection): readonly TargetRow[] {
  return (Object.keys(pairTexts) as PairName[]).flatMap((name) => {
    const [figure, against, bounds = {}] = pairTexts[name];
    const measured = Object.entries(pairs[name] ?? {}) as [PairMeasure, PairFigures][];
    return measured.flatMap(([measure, { ours, floor: other }]): readonly TargetRow[] => {
      const bound = bounds[measure];
      const row = compare(`${figure}, ${measure}`, against, microseconds, {
        ours,
        other,
        ...(bound !== undefined && { bound }),
      });
      if (measure !== 'heap') return [row];
      const [format, value] = [kilobytes, (ours - other) / 1000];
      return bound === undefined
        ? []
        : [{ ...row, figure: figure.replace('CPU', 'heap'), format, value, unit: 'KB' }];
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
