import { formatColumns } from '../../support/generated-parts.ts';
import { judge } from '../statistics.ts';
import type { PeerFigures, PeerPlan } from './measure-peer.ts';

/** A row of the table, as `lab/bench/results/peers.json` keeps it. */
export interface PeerRow {
  readonly name: string;
  readonly version: string;
  readonly settings: string;
  readonly day: string;
  readonly plan: PeerPlan;
  /** Load average of the machine. */
  readonly load: { readonly before: number; readonly after: number };
  readonly bytes?: number;
  readonly figures?: PeerFigures;
  /** CPU time of one signature in the peer's own language, in microseconds. */
  readonly signatureUs?: number;
  /** Why it was not measured. */
  readonly skipped?: string;
}

const milliseconds = (us: number) => (us / 1000).toFixed(2);

/** A cell of a peer that was measured. */
const ofFigures = (cell: (figures: PeerFigures) => string) => (row: PeerRow) =>
  row.figures === undefined ? '' : cell(row.figures);

const cells: Readonly<Record<string, (row: PeerRow) => string>> = {
  server: ({ name, version }) => `${name} ${version}`,
  'CPU per token': ({ figures, skipped }) =>
    figures === undefined ? `skipped: ${skipped}` : `${milliseconds(figures.cpuUs.median)} ms`,
  band: ofFigures(({ cpuUs }) => `${milliseconds(cpuUs.lowest)} to ${milliseconds(cpuUs.highest)}`),
  'without the signature': (row) =>
    ofFigures(({ cpuUs }) =>
      row.signatureUs === undefined ? '–' : `${milliseconds(cpuUs.median - row.signatureUs)} ms`,
    )(row),
  'tokens per CPU-second': ofFigures(({ cpuUs }) =>
    Math.round(1e6 / cpuUs.median).toLocaleString('en-US'),
  ),
  'p99 at 50 connections': ofFigures(({ p99Ms }) => `${Math.round(p99Ms)} ms`),
  'start to first token': ofFigures(({ firstTokenMs }) => `${(firstTokenMs / 1000).toFixed(1)} s`),
  memory: ofFigures(({ megabytes }) => `${Math.round(megabytes)} MB`),
  installed: ({ figures, bytes = 0 }) => {
    if (figures === undefined) return '';
    return bytes === 0 ? '–' : `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 0)} MB`;
  },
  'load average meanwhile': ({ figures, load }) =>
    figures === undefined ? '' : `${load.before.toFixed(0)} to ${load.after.toFixed(0)}`,
  settings: ({ figures, settings }) => (figures === undefined ? '' : settings),
};

/** One peer as a line of the terminal. */
export const formatLine = (row: PeerRow): string =>
  Object.values(cells)
    .map((cell) => cell(row))
    .join(' | ');

/** Two rows by name, and how many times the CPU time of the second the first may take. */
export interface PeerTarget {
  readonly ours: string;
  readonly other: string;
  readonly bound: number;
}

function formatTarget({ ours, other, bound }: PeerTarget, rows: readonly PeerRow[]): string {
  const [a, b] = [ours, other].map(
    (wanted) => rows.find(({ name }) => name === wanted)?.figures?.cpuUs,
  );
  if (a === undefined || b === undefined) return '';
  const band = {
    lowest: a.lowest / b.highest,
    median: a.median / b.median,
    highest: a.highest / b.lowest,
  };
  const [lowest, median, highest] = [band.lowest, band.median, band.highest].map((value) =>
    value.toFixed(2),
  );
  return `- CPU per token: ${ours} takes ${median} times what ${other} takes (${lowest} to ${highest}); to reach: ≤ ${bound}: ${judge(band, bound)}.`;
}

const columns: Readonly<Record<string, (row: PeerRow) => number | undefined>> = {
  'CPU per token': ({ figures }) => figures?.cpuUs.median,
  'p99 at 50 connections': ({ figures }) => figures?.p99Ms,
  'start to first token': ({ figures }) => figures?.firstTokenMs,
  memory: ({ figures }) => figures?.megabytes,
  installed: ({ bytes }) => bytes,
};

/** @returns for each column the peers whose value is lower than ours. */
export function findAhead(
  ours: PeerRow,
  peers: readonly PeerRow[],
): Readonly<Record<string, readonly string[]>> {
  const ahead = Object.entries(columns).map(([column, valueOf]) => {
    const bound = valueOf(ours) ?? Number.NaN;
    const names = peers.filter((peer) => (valueOf(peer) ?? Number.NaN) < bound);
    return [column, names.map(({ name }) => name)] as const;
  });
  return Object.fromEntries(ahead);
}

function formatAhead(ours: PeerRow, peers: readonly PeerRow[]): string {
  const texts = Object.entries(findAhead(ours, peers)).map(
    ([column, names]) => `${column}: ${names.join(', ') || 'no peer'}`,
  );
  return `- Ahead of ${ours.name}: ${texts.join('; ')}.`;
}

function formatPlan({ runs, seconds, warmUpSeconds }: PeerPlan): string {
  return `${runs} runs of ${seconds} s after a warm-up of ${warmUpSeconds} s`;
}

/** Which rows are ours, and which are peers; the rest only shows what is possible. */
export interface PeerRoles {
  readonly ours: readonly string[];
  readonly peers: readonly string[];
  readonly targets: readonly PeerTarget[];
}

/** The part of docs/performance.md about peers. */
export function formatPeers(rows: readonly PeerRow[], machine: string, roles: PeerRoles): string {
  const of = (names: readonly string[]) => rows.filter(({ name }) => names.includes(name));
  const days = [...new Set(rows.map(({ day }) => day))].join(', ');
  const plans = [...new Set(rows.map(({ plan }) => formatPlan(plan)))].join(', or ');
  const lines = [
    ...roles.targets.map((target) => formatTarget(target, rows)),
    ...of(roles.ours).map((ours) => formatAhead(ours, of(roles.peers))),
  ];
  return `${formatColumns(rows, cells)}

${days}, ${machine}. Medians of ${plans}. One server runs at a time, and the client that loads it has the same cores.

${lines.filter((line) => line !== '').join('\n')}`;
}
