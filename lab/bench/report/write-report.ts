import {
  formatColumns,
  formatTable,
  performancePages,
  writeParts,
} from '../../support/generated-parts.ts';
import type { Results, SlowResults } from '../rounds.ts';
import { share } from '../slow-machine.ts';
import { medianOf } from '../statistics.ts';
import { type BandRow, findShort, joinRounds } from './bands.ts';
import {
  formatBand,
  formatBound,
  formatMachine,
  formatOutcome,
  formatReuse,
  formatScale,
  formatTargets,
  formatThroughput,
  formatValue,
} from './tables.ts';
import { functionRows, targetRows } from './targets.ts';

function formatCells(row: BandRow | undefined): readonly string[] {
  if (row === undefined) return ['–', '–', '–', '–', '–'];
  const median = formatValue(row.value, row.unit);
  return [row.format(row.ours), median, formatBand(row), formatBound(row), formatOutcome(row)];
}

/** The figures of the functions at both speeds. */
function formatSpeeds(full: Results, slow: SlowResults): string {
  const atFullSpeed = joinRounds(full.rounds.map((round) => functionRows(round)));
  const rows = joinRounds(slow.rounds.map((round) => functionRows(round, share)));
  const head = ['ours', 'median', 'band', 'to reach'];
  const slowHead = head.map((name) => `slow: ${name}`);
  const table = formatTable([
    ['figure', 'against', ...head, '', ...slowHead, ''],
    ...atFullSpeed.map((row) => [
      row.figure,
      row.against,
      ...formatCells(row),
      ...formatCells(rows.find(({ figure }) => figure === row.figure)),
    ]),
  ]);
  return `${table}\n\nSlow: ${formatMachine(slow.machine, slow.rounds.length)}`;
}

/** Rows that the summary of the page shows. */
const headlines: readonly string[] = [
  'CPU of a token, warm',
  'CPU of a token, cold',
  'process start to first token',
  'warm wall time per token, KMS 10 ms and DynamoDB 3 ms',
  'bundle',
  'CPU per token at 50 connections',
  'median time at 50 connections',
  'backend calls, token',
];

/** The rows that a reader needs first, each figure once, and how many targets are met. */
export function formatSummary(rows: readonly BandRow[]): string {
  const shown = headlines.flatMap((figure) => rows.find((row) => row.figure === figure) ?? []);
  const table = formatColumns(shown, {
    figure: ({ figure }) => figure,
    ours: (row) => row.format(row.ours),
    against: ({ against }) => against,
    theirs: (row) => (row.other === undefined ? '–' : row.format(row.other)),
    ratio: ({ value, unit }) => (unit === 'ratio' ? formatValue(value, unit) : '–'),
  });
  const judged = rows.filter(({ outcome }) => outcome !== undefined);
  const [met, short] = [judged.filter(({ outcome }) => outcome === 'met'), findShort(judged)];
  const names = short.map(({ figure }) => figure).join('; ');
  return `${table}\n\n${met.length} of ${judged.length} targets are met, ${judged.length - met.length - short.length} within the band, ${short.length} short${names && `: ${names}`}.`;
}

/** Writes the figures of docs/performance.md again. The prose of the page stays. */
export function writeReport(results: Results): void {
  const { machine, rounds, reuse, scale } = results;
  const targets = joinRounds(rounds.map(targetRows));
  const median = medianOf(rounds);
  writeParts(performancePages, {
    summary: formatSummary(targets),
    machine: formatMachine(machine, rounds.length),
    targets: formatTargets(targets),
    throughput: formatThroughput(median),
    scale: formatScale(scale),
    reuse: formatReuse(reuse),
  });
}

/** Writes the part of docs/performance.md that compares both speeds. */
export function writeSpeeds(full: Results, slow: SlowResults): void {
  writeParts(performancePages, { speeds: formatSpeeds(full, slow) });
}
