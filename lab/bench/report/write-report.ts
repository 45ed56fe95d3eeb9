import { formatColumns, performancePages, writeParts } from '../../support/generated-parts.ts';
import type { Results } from '../rounds.ts';
import { type BandRow, findShort, joinRounds } from './bands.ts';
import { formatMachine, formatTargets, formatValue } from './tables.ts';
import { targetRows } from './targets.ts';

/** Rows that the summary of the page shows. */
const headlines: readonly string[] = [
  'CPU of a token, warm',
  'CPU of a token, cold',
  'process start to first token',
  'warm wall time per token, KMS 10 ms and DynamoDB 3 ms',
  'bundle',
  'backend calls, token',
];

/** The rows that a reader needs first, each figure once, and how many targets are met. */
function formatSummary(rows: readonly BandRow[]): string {
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
  const { machine, rounds } = results;
  const targets = joinRounds(rounds.map(targetRows));
  writeParts(performancePages, {
    summary: formatSummary(targets),
    machine: formatMachine(machine, rounds.length),
    targets: formatTargets(targets),
  });
}
