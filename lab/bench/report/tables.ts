import { formatTable } from '../../support/generated-parts.ts';
import type { Machine, Round } from '../results.ts';
import type { Figures } from '../sample.ts';
import type { ReuseSection } from '../sections/reuse.ts';
import type { ScalePoint, ScaleSection } from '../sections/scale.ts';
import type { BandRow } from './bands.ts';

export function formatValue(value: number, unit: BandRow['unit']): string {
  if (unit === 'ratio') return value.toFixed(2);
  return unit === 'ms' ? value.toFixed(1) : String(Math.round(value));
}

export function formatBound({ bound, unit }: BandRow): string {
  if (bound === undefined) return '–';
  return `≤ ${formatValue(bound, unit)}${unit === 'ratio' ? '' : ` ${unit}`}`;
}

/** Lowest and highest value; one value if they read alike. */
export function formatBand({ band, unit }: BandRow): string {
  const [lowest, highest] = [band.lowest, band.highest].map((value) => formatValue(value, unit));
  return lowest === highest ? `${lowest}` : `${lowest} to ${highest}`;
}

export function formatOutcome({ outcome }: BandRow): string {
  return outcome === 'short' ? '**short**' : (outcome ?? '–');
}

/** The targets as a table. */
export function formatTargets(rows: readonly BandRow[]): string {
  return formatTable([
    ['figure', 'against', 'ours', 'theirs', 'median', 'band', 'to reach', 'stretch', ''],
    ...rows.map((row) => [
      row.figure,
      row.against,
      row.format(row.ours),
      row.other === undefined ? '–' : row.format(row.other),
      formatValue(row.value, row.unit),
      formatBand(row),
      formatBound(row),
      row.stretch === undefined ? '–' : String(row.stretch),
      formatOutcome(row),
    ]),
  ]);
}

export function formatMachine(machine: Machine, rounds: number): string {
  const { node, cpu, cpus, platform, startedAt, seconds, load } = machine;
  return `Measured ${startedAt.slice(0, 10)} in ${rounds} rounds, ${Math.round(seconds)} s: Node ${node}, ${platform}, ${cpus} × ${cpu}, load average ${load.toFixed(1)} before.`;
}

export function formatScale(scale: ScaleSection): string {
  const row = (name: string, points: readonly ScalePoint[]) => [
    name,
    points.map(({ size, cpuUs }) => `${size}: ${Math.round(cpuUs)} µs`).join(', '),
    ((points.at(-1)?.cpuUs ?? 0) / (points[0]?.cpuUs ?? 1)).toFixed(2),
  ];
  return formatTable([
    ['what grows → what is asked', 'CPU of one invocation, the loop included', 'last to first'],
    ...Object.entries(scale).map(([name, points]) => row(name, points)),
  ]);
}

/** How the two sides of a comparison change as their processes go on. */
export function formatWarming({ token, documents, authorizer }: Round): string {
  const row = (name: string, ours: Figures, other: Figures, empty: Figures) => {
    const at = (key: 'firstCpuUs' | 'cpuUs') => [
      `${Math.round(ours[key] - empty[key])} µs`,
      `${Math.round(other[key] - empty[key])} µs`,
      ((ours[key] - empty[key]) / (other[key] - empty[key])).toFixed(2),
    ];
    return [name, ...at('firstCpuUs'), ...at('cpuUs')];
  };
  const { discovery, discoveryConstant, jwks, jwksConstant, empty } = documents;
  const head = ['ours, first', 'theirs', 'ratio', 'ours, warm', 'theirs', 'ratio'];
  return formatTable([
    ["CPU of one invocation, without the runtime's loop", ...head],
    row('token, usual-way handler', token.ours, token.reference, token.empty),
    row('discovery, constant answer', discovery, discoveryConstant, empty),
    row('JWKS, constant answer', jwks, jwksConstant, empty),
    row('authorizer, jose', authorizer.ours, authorizer.jose, authorizer.empty),
  ]);
}

export function formatThroughput({ oidcProvider }: Round): string {
  const { aws, connections, delays } = oidcProvider;
  const names = {
    ours: 'ours',
    oidcProvider: 'oidc-provider, client in DynamoDB',
    oidcProviderStaticClient: 'oidc-provider, client in memory',
  } as const;
  const rows = Object.entries(names).map(([key, name]) => {
    const figures = aws[key as keyof typeof names];
    return [
      name,
      `${Math.round(figures.perSecond)}`,
      `${Math.round(figures.cpuUs)} µs`,
      `${figures.medianMs.toFixed(1)} ms`,
      `${figures.p99Ms.toFixed(1)} ms`,
    ];
  });
  const head = [
    `${connections} connections, KMS ${delays.kms} ms, DynamoDB ${delays.dynamodb} ms`,
    'tokens a second',
    'CPU a token',
    'median',
    'p99',
  ];
  return formatTable([head, ...rows]);
}

export function formatReuse(reuse: ReuseSection): string {
  const saved = (tokens: number, signs: number) => `${Math.round((1 - signs / tokens) * 100)} %`;
  return formatTable([
    [
      'lifetime that must remain',
      'instances',
      'shared',
      'tokens issued',
      'Signs',
      'Signs saved',
      'reads of the table',
      'writes',
    ],
    ...reuse.map(({ minimumRemainingShare, instances, tokens, signs, table }) => [
      minimumRemainingShare === undefined ? 'off' : String(minimumRemainingShare),
      String(instances),
      table === undefined ? 'no' : '**yes**',
      String(tokens),
      String(signs),
      saved(tokens, signs),
      table === undefined ? '–' : String(table.reads),
      table === undefined ? '–' : String(table.writes),
    ]),
  ]);
}

export function formatSharedReuse({ sharedReuse }: Round): string {
  const { off, hit, miss, delays, frozen, load, startedAt } = sharedReuse;
  const row = (name: string, { wallMs, cpuUs }: typeof off, target: string) => [
    name,
    `${wallMs.toFixed(1)} ms`,
    `${(wallMs - off.wallMs).toFixed(1)} ms`,
    `${Math.round(cpuUs)} µs`,
    target,
  ];
  const table = formatTable([
    ['request', 'wall time', 'more than without', 'CPU', 'target'],
    row('without the setting', off, '–'),
    row('hit: another instance signed the token', hit, 'wall ≤ 5 ms'),
    row('miss: no instance did', miss, 'at most 1 ms more than without'),
  ]);
  return `${table}

DynamoDB answers after ${delays.dynamodb} ms and KMS after ${delays.kms} ms. Medians of the rounds, ${startedAt.slice(0, 10)}, load average of the machine ${load.toFixed(1)}. The process was stopped as soon as each of ${frozen.answers} answers arrived: ${frozen.writesArrived} of their writes arrived as well.`;
}
