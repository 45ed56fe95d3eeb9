import type { Results } from '../results.ts';

/** One row of the table: a figure against what it is held to. */
export interface TargetRow {
  readonly figure: string;
  readonly against: string;
  /** What was measured, ready to be read. */
  readonly ours: string;
  readonly other: string;
  readonly ratio?: number;
  readonly bound: number;
  readonly stretch?: number;
  /** How bound and ratio are written. */
  readonly unit?: 'ratio' | 'KB' | 'calls';
}

const microseconds = (value: number) => `${Math.round(value)} µs`;
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const kilobytes = (bytes: number) => bytes / 1000;

interface Comparison {
  readonly figure: string;
  readonly against: string;
  readonly ours: number;
  readonly other: number;
  readonly format: (value: number) => string;
  readonly bound: number;
  readonly stretch?: number;
}

function compare({ ours, other, format, ...row }: Comparison): TargetRow {
  return { ...row, ours: format(ours), other: format(other), ratio: ours / other };
}

function tokenRows({ token }: Results): readonly TargetRow[] {
  const { ours, reference, empty, delays } = token;
  const against = 'usual-way handler';
  const sum = delays.kms + delays.dynamodb;
  return [
    compare({
      figure: "warm CPU per token, without the runtime's loop",
      against,
      ours: ours.cpuUs - empty.cpuUs,
      other: reference.cpuUs - empty.cpuUs,
      format: microseconds,
      bound: 0.4,
      stretch: 0.2,
    }),
    compare({
      figure: 'process start to first token',
      against,
      ours: ours.firstResponseMs,
      other: reference.firstResponseMs,
      format: milliseconds,
      bound: 0.5,
      stretch: 0.4,
    }),
    compare({
      figure: 'module load',
      against,
      ours: ours.moduleLoadMs,
      other: reference.moduleLoadMs,
      format: milliseconds,
      bound: 0.3,
    }),
    compare({
      figure: 'bundle',
      against,
      ours: kilobytes(ours.bundleBytes),
      other: kilobytes(reference.bundleBytes),
      format: (value) => `${value.toFixed(1)} KB`,
      bound: 0.3,
    }),
    {
      figure: 'token bundle',
      against: 'a fixed size',
      ours: `${kilobytes(ours.bundleBytes).toFixed(1)} KB`,
      other: '–',
      ratio: kilobytes(ours.bundleBytes),
      bound: 120,
      stretch: 40,
      unit: 'KB',
    },
    compare({
      figure: `warm wall time per token, KMS ${delays.kms} ms and DynamoDB ${delays.dynamodb} ms`,
      against: 'the sum of both',
      ours: ours.wallMs,
      other: sum,
      format: milliseconds,
      bound: 1.1,
    }),
  ];
}

function oidcProviderRows({ oidcProvider }: Results): readonly TargetRow[] {
  const { memory, aws, connections } = oidcProvider;
  return [
    compare({
      figure: 'non-signature CPU per token, client and key in memory',
      against: 'oidc-provider',
      ours: memory.ours.cpuUs,
      other: memory.oidcProvider.cpuUs,
      format: microseconds,
      bound: 0.7,
    }),
    compare({
      figure: 'non-signature CPU per token, without what a bare server costs',
      against: 'oidc-provider',
      ours: memory.ours.cpuUs - memory.bare.cpuUs,
      other: memory.oidcProvider.cpuUs - memory.bare.cpuUs,
      format: microseconds,
      bound: 0.7,
    }),
    compare({
      figure: `CPU per token at ${connections} connections`,
      against: 'oidc-provider',
      ours: aws.ours.cpuUs,
      other: aws.oidcProvider.cpuUs,
      format: microseconds,
      bound: 0.7,
    }),
    compare({
      figure: `p99 at ${connections} connections`,
      against: 'oidc-provider',
      ours: aws.ours.p99Ms,
      other: aws.oidcProvider.p99Ms,
      format: milliseconds,
      bound: 0.8,
    }),
    compare({
      figure: `CPU per token at ${connections} connections`,
      against: 'oidc-provider that reads no client',
      ours: aws.ours.cpuUs,
      other: aws.oidcProviderStaticClient.cpuUs,
      format: microseconds,
      bound: 0.7,
    }),
  ];
}

function callRows({ token }: Results): readonly TargetRow[] {
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
      ours: text.join(', ') || 'none',
      other: '–',
      ratio: total,
      bound: expected[name] ?? 0,
      unit: 'calls',
    };
  });
}

function documentRows({ documents, authorizer }: Results): readonly TargetRow[] {
  const against = 'constant answer, same log line';
  const row = (figure: string, ours: number, other: number, to: string): TargetRow =>
    compare({ figure, against: to, ours, other, format: microseconds, bound: 1.3 });
  const { discovery, discoveryConstant, jwks, jwksConstant, empty } = documents;
  const { ours, jose } = authorizer;
  const alone = "without the runtime's loop";
  return [
    row('discovery, warm CPU', discovery.cpuUs, discoveryConstant.cpuUs, against),
    row(
      `discovery, warm CPU ${alone}`,
      discovery.cpuUs - empty.cpuUs,
      discoveryConstant.cpuUs - empty.cpuUs,
      against,
    ),
    row('JWKS, warm CPU', jwks.cpuUs, jwksConstant.cpuUs, against),
    row(
      `JWKS, warm CPU ${alone}`,
      jwks.cpuUs - empty.cpuUs,
      jwksConstant.cpuUs - empty.cpuUs,
      against,
    ),
    row('authorizer, own token, warm CPU', ours.cpuUs, jose.cpuUs, 'jose, same log line'),
    row(
      `authorizer, own token, warm CPU ${alone}`,
      ours.cpuUs - authorizer.empty.cpuUs,
      jose.cpuUs - authorizer.empty.cpuUs,
      'jose, same log line',
    ),
  ];
}

/** Every target, in the order of the table. */
export function targetRows(results: Results): readonly TargetRow[] {
  return [
    ...tokenRows(results),
    ...oidcProviderRows(results),
    ...callRows(results),
    ...documentRows(results),
  ];
}

export function isMet({ ratio = Number.POSITIVE_INFINITY, bound }: TargetRow): boolean {
  return ratio <= bound;
}
