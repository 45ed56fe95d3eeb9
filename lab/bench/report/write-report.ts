import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Results, SlowResults } from '../results.ts';
import { medianOf } from '../statistics.ts';
import { type BandRow, joinRounds } from './bands.ts';
import { type Bar, drawBars } from './bar-chart.ts';
import { replacePart } from './markdown.ts';
import { formatSpeeds } from './speeds.ts';
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

const docs = resolve(import.meta.dirname, '../../../docs');

function ratioBars(targets: readonly BandRow[]): readonly Bar[] {
  return targets
    .filter(({ unit }) => unit === 'ratio')
    .map(({ figure, against, value, bound }, _, rows) => ({
      label:
        rows.filter((row) => row.figure === figure).length > 1 ? `${figure}, ${against}` : figure,
      value,
      ...(bound === undefined
        ? { text: value.toFixed(2) }
        : { bound, text: `${value.toFixed(2)} (≤ ${bound})` }),
    }));
}

function writeCharts(results: Results, targets: readonly BandRow[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, svg: string) => writeFileSync(join(folder, `${name}.svg`), svg);
  write('ratios', drawBars('Ours as a share of what it is held to', ratioBars(targets)));
  const { ours, reference } = medianOf(results.rounds).token;
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

/** Replaces generated parts of docs/performance.md. */
export function writeParts(parts: Readonly<Record<string, string>>): void {
  const path = join(docs, 'performance.md');
  const page = Object.entries(parts).reduce(
    (text, [name, content]) => replacePart(text, name, content),
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, page);
}

/** Writes the figures of docs/performance.md and its charts again. The prose of the page stays. */
export function writeReport(results: Results): void {
  const { machine, rounds, reuse, scale } = results;
  const targets = joinRounds(rounds.map(targetRows));
  const median = medianOf(rounds);
  writeParts({
    machine: formatMachine(machine, rounds.length),
    targets: formatTargets(targets),
    warming: formatWarming(median),
    throughput: formatThroughput(median),
    scale: formatScale(scale),
    reuse: formatReuse(reuse),
    'shared reuse': formatSharedReuse(median),
  });
  writeCharts(results, targets, join(docs, 'performance'));
}

/** Writes the part of docs/performance.md that compares both speeds. */
export function writeSpeeds(full: Results, slow: SlowResults): void {
  writeParts({ speeds: formatSpeeds(full, slow) });
}
