import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Results } from '../results.ts';
import { type Bar, drawBars } from './bar-chart.ts';
import { replacePart } from './markdown.ts';
import {
  formatMachine,
  formatReuse,
  formatScale,
  formatSharedReuse,
  formatTargets,
  formatThroughput,
  formatWarming,
} from './tables.ts';
import { targetRows } from './targets.ts';

const docs = resolve(import.meta.dirname, '../../docs');

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

/** Writes the figures of docs/performance.md and its charts again. The prose of the page stays. */
export function writeReport(results: Results): void {
  const path = join(docs, 'performance.md');
  const parts: Readonly<Record<string, string>> = {
    machine: formatMachine(results),
    targets: formatTargets(results),
    warming: formatWarming(results),
    throughput: formatThroughput(results),
    scale: formatScale(results),
    reuse: formatReuse(results),
    'shared reuse': formatSharedReuse(results),
  };
  const page = Object.entries(parts).reduce(
    (text, [name, content]) => replacePart(text, name, content),
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, page);
  writeCharts(results, join(docs, 'performance'));
}
