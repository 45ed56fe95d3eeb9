import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Results } from '../results.ts';
import type { ScalePoint } from '../sections/scale.ts';
import { type Bar, drawBars } from './bar-chart.ts';
import { formatTable, replacePart } from './markdown.ts';
import { isMet, type TargetRow, targetRows } from './targets.ts';

const docs = resolve(import.meta.dirname, '../../docs');

function formatBound({ bound, unit = 'ratio' }: TargetRow): string {
  return unit === 'ratio' ? `≤ ${bound.toFixed(2)}` : `≤ ${bound} ${unit}`;
}

function formatRatio({ ratio, unit = 'ratio' }: TargetRow): string {
  if (ratio === undefined) return '–';
  return unit === 'ratio' ? ratio.toFixed(2) : String(Math.round(ratio));
}

/** The targets as a table. */
export function formatTargets(results: Results): string {
  return formatTable([
    ['figure', 'against', 'ours', 'theirs', 'ratio', 'to reach', 'stretch', ''],
    ...targetRows(results).map((row) => [
      row.figure,
      row.against,
      row.ours,
      row.other,
      formatRatio(row),
      formatBound(row),
      row.stretch === undefined ? '–' : String(row.stretch),
      isMet(row) ? 'met' : '**short**',
    ]),
  ]);
}

function formatMachine({ machine }: Results): string {
  const { node, cpu, cpus, platform, startedAt, seconds, plan } = machine;
  return `Measured ${startedAt.slice(0, 10)} in ${Math.round(seconds)} s (${plan} plan): Node ${node}, ${platform}, ${cpus} × ${cpu}.`;
}

function formatScale(results: Results): string {
  const row = (name: string, points: readonly ScalePoint[]) => [
    name,
    points.map(({ size, cpuUs }) => `${size}: ${Math.round(cpuUs)} µs`).join(', '),
    ((points.at(-1)?.cpuUs ?? 0) / (points[0]?.cpuUs ?? 1)).toFixed(2),
  ];
  return formatTable([
    ['what grows → what is asked', 'CPU of one invocation, the loop included', 'last to first'],
    ...Object.entries(results.scale).map(([name, points]) => row(name, points)),
  ]);
}

function formatThroughput({ oidcProvider }: Results): string {
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

function formatReuse({ reuse }: Results): string {
  const saved = (tokens: number, signs: number) => `${Math.round((1 - signs / tokens) * 100)} %`;
  return formatTable([
    ['share of life that must remain', 'instances', 'tokens given', 'Signs', 'Signs saved'],
    ...reuse.map(({ minimumRemainingShare, instances, tokens, signs }) => [
      minimumRemainingShare === undefined ? 'off' : String(minimumRemainingShare),
      String(instances),
      String(tokens),
      String(signs),
      saved(tokens, signs),
    ]),
  ]);
}

function ratioBars(results: Results): readonly Bar[] {
  return targetRows(results)
    .filter(({ unit = 'ratio' }) => unit === 'ratio')
    .map(({ figure, against, ratio = 0, bound }, _, rows) => ({
      label:
        rows.filter((row) => row.figure === figure).length > 1 ? `${figure}, ${against}` : figure,
      value: ratio,
      bound,
      text: `${ratio.toFixed(2)} (≤ ${bound})`,
    }));
}

function writeCharts(results: Results, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, svg: string) => writeFileSync(join(folder, `${name}.svg`), svg);
  write('ratios', drawBars('Ours as a share of what it is held to', ratioBars(results)));
  const { ours, reference } = results.token;
  const cold: readonly Bar[] = [
    ['ours, module load', ours.moduleLoadMs],
    ['ours, process start to first token', ours.firstResponseMs],
    ['usual way, module load', reference.moduleLoadMs],
    ['usual way, process start to first token', reference.firstResponseMs],
  ].map(([label, value]) => ({
    label: String(label),
    value: Number(value),
    text: `${Number(value).toFixed(0)} ms`,
  }));
  write('cold-start', drawBars('Cold start', cold));
  const scale = Object.entries(results.scale).flatMap(([name, points]) =>
    points.map(({ size, cpuUs }) => ({
      label: `${name}: ${size}`,
      value: cpuUs,
      text: `${Math.round(cpuUs)} µs`,
    })),
  );
  write('scale', drawBars('CPU of one invocation as things grow', scale));
}

/** Writes docs/performance.md anew, but for its prose, and the charts beside it. */
export function writeReport(results: Results): void {
  const path = join(docs, 'performance.md');
  const parts: Readonly<Record<string, string>> = {
    machine: formatMachine(results),
    targets: formatTargets(results),
    throughput: formatThroughput(results),
    scale: formatScale(results),
    reuse: formatReuse(results),
  };
  const page = Object.entries(parts).reduce(
    (text, [name, content]) => replacePart(text, name, content),
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, page);
  writeCharts(results, join(docs, 'performance'));
}
