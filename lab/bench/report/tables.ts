import { formatColumns } from '../../support/generated-parts.ts';
import type { Machine } from '../rounds.ts';
import type { BandRow } from './bands.ts';

export function formatValue(value: number, unit: BandRow['unit']): string {
  return value.toFixed(unit === 'ratio' ? 2 : 0);
}

function formatBound({ bound, unit }: BandRow): string {
  if (bound === undefined) return '–';
  return `≤ ${formatValue(bound, unit)}${unit === 'ratio' ? '' : ` ${unit}`}`;
}

/** Lowest and highest value; one value if they read alike. */
function formatBand({ band, unit }: BandRow): string {
  const [lowest, highest] = [band.lowest, band.highest].map((value) => formatValue(value, unit));
  return lowest === highest ? `${lowest}` : `${lowest} to ${highest}`;
}

function formatOutcome({ outcome }: BandRow): string {
  return outcome === 'short' ? '**short**' : (outcome ?? '–');
}

/** The targets as a table. */
export function formatTargets(rows: readonly BandRow[]): string {
  return formatColumns(rows, {
    figure: ({ figure }) => figure,
    against: ({ against }) => against,
    ours: (row) => row.format(row.ours),
    theirs: (row) => (row.other === undefined ? '–' : row.format(row.other)),
    median: ({ value, unit }) => formatValue(value, unit),
    band: formatBand,
    'to reach': formatBound,
    '': formatOutcome,
  });
}

export function formatMachine(machine: Machine, rounds: number): string {
  const { node, cpu, cpus, platform, startedAt, seconds, load } = machine;
  return `Measured ${startedAt.slice(0, 10)} in ${rounds} rounds, ${Math.round(seconds)} s: Node ${node}, ${platform}, ${cpus} × ${cpu}, load average ${load.toFixed(1)} before.`;
}
