import type { ColdStart } from '../measure.ts';
import type { FunctionRound, Round } from '../results.ts';
import type { Figures } from '../sample.ts';

/** One figure of one round against what it is held to. */
export interface TargetRow {
  readonly figure: string;
  readonly against: string;
  readonly ours: number;
  /** None if ours is held to a fixed number. */
  readonly other?: number;
  readonly format: (value: number) => string;
  /** Ours divided by the other; without another, ours. */
  readonly value: number;
  /** None if the row only shows what is possible. */
  readonly bound?: number;
  readonly stretch?: number;
  /** Of value and bound. */
  readonly unit: 'ratio' | 'KB' | 'calls' | 'ms';
}

const microseconds = (value: number) => `${Math.round(value)} µs`;
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} KB`;

function compare(row: Omit<TargetRow, 'value' | 'unit'> & { readonly other: number }): TargetRow {
  return { ...row, value: row.ours / row.other, unit: 'ratio' };
}

/** CPU time of an invocation without that of a handler that does nothing. */
const withoutLoop = (figures: Figures, empty: Figures) => figures.cpuUs - empty.cpuUs;

const floor = 'floor: the same two calls and nothing else';

/** What a start on one core consists of, next to the same of the floor. */
function startRows({ ours, twoCalls }: FunctionRound['token']): readonly TargetRow[] {
  if (ours.oneCore === undefined || twoCalls.oneCore === undefined) return [];
  const untilModule = (start: ColdStart) =>
    start.firstResponseMs - start.moduleLoadMs - start.firstPollMs - start.firstInvocationMs;
  const parts: readonly (readonly [string, (start: ColdStart) => number, number?])[] = [
    ['process start to first token, on one core', (start) => start.firstResponseMs, 1.15],
    ['– of it the process and Node', untilModule],
    ['– module load', (start) => start.moduleLoadMs],
    ['– first poll of the Runtime API', (start) => start.firstPollMs],
    ['– first token', (start) => start.firstInvocationMs],
  ];
  return parts.map(([figure, of, bound]) =>
    compare({
      figure,
      against: floor,
      ours: of(ours.oneCore as ColdStart),
      other: of(twoCalls.oneCore as ColdStart),
      format: milliseconds,
      ...(bound !== undefined && { bound }),
    }),
  );
}

function floorRows({ token }: FunctionRound): readonly TargetRow[] {
  const { ours, twoCalls, empty, delays } = token;
  return [
    compare({
      figure: "warm CPU per token, without the runtime's loop",
      against: floor,
      ours: withoutLoop(ours, empty),
      other: withoutLoop(twoCalls, empty),
      format: microseconds,
      bound: 1.45,
    }),
    compare({
      figure: 'process start to first token',
      against: floor,
      ours: ours.firstResponseMs,
      other: twoCalls.firstResponseMs,
      format: milliseconds,
      bound: 1.15,
    }),
    ...startRows(token),
    compare({
      figure: `warm wall time per token, KMS ${delays.kms} ms and DynamoDB ${delays.dynamodb} ms`,
      against: floor,
      ours: ours.wallMs,
      other: twoCalls.wallMs,
      format: milliseconds,
      bound: 1.03,
    }),
  ];
}

/** Ratios to the usual way, which only inform: what is possible is the floor. */
function usualWayRows({ token }: FunctionRound): readonly TargetRow[] {
  const { ours, reference, empty } = token;
  const against = 'usual-way handler';
  return [
    compare({
      figure: "warm CPU per token, without the runtime's loop",
      against,
      ours: withoutLoop(ours, empty),
      other: withoutLoop(reference, empty),
      format: microseconds,
    }),
    compare({
      figure: 'process start to first token',
      against,
      ours: ours.firstResponseMs,
      other: reference.firstResponseMs,
      format: milliseconds,
    }),
    compare({
      figure: 'module load',
      against,
      ours: ours.moduleLoadMs,
      other: reference.moduleLoadMs,
      format: milliseconds,
    }),
  ];
}

function documentRows({ documents }: FunctionRound): readonly TargetRow[] {
  const { discovery, discoveryConstant, jwks, jwksConstant, empty } = documents;
  const against = 'constant answer, same log line';
  const format = microseconds;
  const pairs = [
    ['discovery', discovery, discoveryConstant],
    ['JWKS', jwks, jwksConstant],
  ] as const;
  return pairs.flatMap(([name, ours, other]) => [
    compare({
      figure: `${name}, warm CPU`,
      against,
      ours: ours.cpuUs,
      other: other.cpuUs,
      format,
      bound: 1.3,
    }),
    compare({
      figure: `${name}, warm CPU without the runtime's loop`,
      against,
      ours: withoutLoop(ours, empty),
      other: withoutLoop(other, empty),
      format,
      bound: 1.5,
    }),
  ]);
}

function authorizerRows({ authorizer }: FunctionRound): readonly TargetRow[] {
  const { ours, jose, empty } = authorizer;
  const common = { against: 'jose, same log line', format: microseconds, bound: 1.3 };
  return [
    compare({
      ...common,
      figure: 'authorizer, own token, warm CPU',
      ours: ours.cpuUs,
      other: jose.cpuUs,
    }),
    compare({
      ...common,
      figure: "authorizer, own token, warm CPU without the runtime's loop",
      ours: withoutLoop(ours, empty),
      other: withoutLoop(jose, empty),
    }),
  ];
}

function oidcProviderRows({ oidcProvider }: Round): readonly TargetRow[] {
  const { memory, aws, connections } = oidcProvider;
  const common = { against: 'oidc-provider', format: microseconds, bound: 0.7 };
  return [
    compare({
      against: 'oidc-provider',
      format: microseconds,
      figure: 'non-signature CPU per token, client and key in memory',
      ours: memory.ours.cpuUs,
      other: memory.oidcProvider.cpuUs,
    }),
    compare({
      ...common,
      bound: 0.6,
      figure: 'non-signature CPU per token, both in memory, without what a bare server costs',
      ours: memory.ours.cpuUs - memory.bare.cpuUs,
      other: memory.oidcProvider.cpuUs - memory.bare.cpuUs,
    }),
    compare({
      ...common,
      figure: `CPU per token at ${connections} connections`,
      ours: aws.ours.cpuUs,
      other: aws.oidcProvider.cpuUs,
    }),
    compare({
      ...common,
      figure: `p99 at ${connections} connections`,
      ours: aws.ours.p99Ms,
      other: aws.oidcProvider.p99Ms,
      format: milliseconds,
      bound: 0.8,
    }),
    compare({
      ...common,
      figure: `CPU per token at ${connections} connections`,
      against: 'oidc-provider that reads no client',
      ours: aws.ours.cpuUs,
      other: aws.oidcProviderStaticClient.cpuUs,
    }),
  ];
}

function sharedReuseRows({ sharedReuse }: Round): readonly TargetRow[] {
  const { hit, miss, off } = sharedReuse;
  const common = { format: milliseconds, unit: 'ms' } as const;
  const extra = miss.wallMs - off.wallMs;
  return [
    {
      ...common,
      figure: 'shared token reuse, wall time of a hit',
      against: 'a fixed time',
      ours: hit.wallMs,
      value: hit.wallMs,
      bound: 5,
    },
    {
      ...common,
      figure: 'shared token reuse, what a miss takes longer',
      against: 'the same without reuse',
      ours: extra,
      value: extra,
      bound: 1,
    },
  ];
}

function sizeRows({ token }: FunctionRound): readonly TargetRow[] {
  const { ours, reference } = token;
  const common = { figure: 'bundle', ours: ours.bundleBytes, format: kilobytes };
  return [
    compare({ ...common, against: 'usual-way handler', other: reference.bundleBytes, bound: 0.3 }),
    {
      ...common,
      against: 'a fixed size',
      value: ours.bundleBytes / 1000,
      bound: 120,
      stretch: 40,
      unit: 'KB',
    },
  ];
}

function callRows({ token }: FunctionRound): readonly TargetRow[] {
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

/** The figures of functions that the speed of a machine can change. */
export function functionRows(round: FunctionRound): readonly TargetRow[] {
  return [
    ...floorRows(round),
    ...usualWayRows(round),
    ...documentRows(round),
    ...authorizerRows(round),
  ];
}

/** Every target, in the order of the table. */
export function targetRows(round: Round): readonly TargetRow[] {
  return [
    ...functionRows(round),
    ...oidcProviderRows(round),
    ...sharedReuseRows(round),
    ...sizeRows(round),
    ...callRows(round),
  ];
}
