import { formatTable } from '../../support/generated-parts.ts';
import type { Results, SlowResults } from '../results.ts';
import { type BandRow, joinRounds } from './bands.ts';
import { formatBand, formatBound, formatMachine, formatOutcome, formatValue } from './tables.ts';
import { functionRows } from './targets.ts';

function formatCells(row: BandRow | undefined): readonly string[] {
  if (row === undefined) return ['–', '–', '–', '–'];
  const median = formatValue(row.value, row.unit);
  return [row.format(row.ours), median, formatBand(row), formatOutcome(row)];
}

/** The figures of the functions at both speeds. */
export function formatSpeeds(full: Results, slow: SlowResults): string {
  const atFullSpeed = joinRounds(full.rounds.map(functionRows));
  const rows = joinRounds(slow.rounds.map(functionRows));
  const head = ['ours', 'ratio', 'band', ''];
  const table = formatTable([
    [
      'figure',
      'against',
      'to reach',
      ...head,
      ...head.map((name) => (name === '' ? '' : `slow: ${name}`)),
    ],
    ...atFullSpeed.map((row) => [
      row.figure,
      row.against,
      formatBound(row),
      ...formatCells(row),
      ...formatCells(
        rows.find(({ figure, against }) => figure === row.figure && against === row.against),
      ),
    ]),
  ]);
  return `${table}\n\nSlow: ${formatMachine(slow.machine, slow.rounds.length)}`;
}
