import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable, replacePart } from '../report/markdown.ts';
import { keycloak, spring } from './java-peers.ts';
import { measurePeer, type PeerFigures, type PeerPlan } from './measure-peer.ts';
import { bareServer, localRun, oidcProvider, ours } from './node-peers.ts';
import type { Peer } from './peer.ts';
import { runTool } from './peer-process.ts';

/*
 * `npm run bench:peers` installs other authorization servers to a temporary folder, has each issue
 * the same kind of token, and writes the table of docs/performance.md. Linux only; the peers take
 * Maven and Java 17. `--only <part of a name>` measures only these, and keeps the rows
 * of the others.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    /** Seconds of one measurement. */
    seconds: { type: 'string', default: '10' },
  },
});

const plan: PeerPlan = {
  // Java's compilers need thousands of requests.
  warmUpSeconds: 2 * Number(values.seconds),
  seconds: Number(values.seconds),
  runs: 3,
  connections: 50,
};

const all: readonly Peer[] = [bareServer, ours, oidcProvider, localRun, spring, keycloak];
const chosen = all.filter(
  ({ name }) =>
    values.only?.some((part) => name.toLowerCase().includes(part.toLowerCase())) ?? true,
);

/** A row of the table, as `bench/results/peers.json` keeps it. */
interface PeerRow {
  readonly name: string;
  readonly version: string;
  readonly settings: string;
  readonly day: string;
  /** Load average of the machine. */
  readonly load: { readonly before: number; readonly after: number };
  readonly bytes?: number;
  readonly figures?: PeerFigures;
  /** CPU time of one signature in the peer's own language, in microseconds. */
  readonly signatureUs?: number;
  readonly skipped?: string;
}

const resultsFile = resolve(import.meta.dirname, '../results/peers.json');

function readRows(): readonly PeerRow[] {
  if (!existsSync(resultsFile)) return [];
  return JSON.parse(readFileSync(resultsFile, 'utf8')) as readonly PeerRow[];
}

/** CPU time of one signature by this Node, in microseconds. */
function priceNodeSignature(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const input = Buffer.alloc(560);
  const count = 1000;
  for (let index = 0; index < count; index += 1) sign('sha256', input, privateKey);
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) sign('sha256', input, privateKey);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** What the others sign with: the same work in their own language. */
async function priceSignature(language: Peer['signs']): Promise<number> {
  if (language === 'node') return priceNodeSignature();
  const program = join(import.meta.dirname, 'signature-price.java');
  return Number((await runTool('java', [program], tmpdir())).trim());
}

async function runPeer(peer: Peer, folder: string): Promise<PeerRow> {
  mkdirSync(folder);
  const { name, version, settings } = peer;
  const [before = Number.NaN] = loadavg();
  const about = { name, version, settings, day: new Date().toISOString().slice(0, 10) };
  try {
    const installed = await peer.install(folder);
    const figures = await measurePeer(installed, plan, peer !== bareServer);
    const signatureUs = await priceSignature(peer.signs);
    const load = { before, after: loadavg()[0] ?? Number.NaN };
    return { ...about, load, bytes: installed.bytes, figures, signatureUs };
  } catch (error) {
    const skipped = error instanceof Error ? error.message : String(error);
    return { ...about, load: { before, after: before }, skipped };
  }
}

function formatRow(row: PeerRow): readonly string[] {
  const { bytes = 0, figures, signatureUs, skipped, load } = row;
  const name = `${row.name} ${row.version}`;
  if (figures === undefined) return [name, `skipped: ${skipped}`, '', '', '', '', '', '', '', ''];
  const { cpuUs, p99Ms, firstTokenMs, megabytes } = figures;
  const milliseconds = (us: number) => `${(us / 1000).toFixed(2)} ms`;
  return [
    name,
    milliseconds(cpuUs),
    signatureUs === undefined ? '–' : milliseconds(cpuUs - signatureUs),
    Math.round(1e6 / cpuUs).toLocaleString('en-US'),
    `${Math.round(p99Ms)} ms`,
    `${(firstTokenMs / 1000).toFixed(1)} s`,
    `${Math.round(megabytes)} MB`,
    bytes === 0 ? '–' : `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 0)} MB`,
    `${load.before.toFixed(0)} to ${load.after.toFixed(0)}`,
    row.settings,
  ];
}

function format(rows: readonly PeerRow[]): string {
  const table = formatTable([
    [
      'server',
      'CPU per token',
      'without the signature',
      'tokens per CPU-second',
      'p99 at 50 connections',
      'start to first token',
      'memory',
      'installed',
      'load average meanwhile',
      'settings',
    ],
    ...rows.map(formatRow),
  ]);
  const days = [...new Set(rows.map(({ day }) => day))].join(', ');
  return `${table}

${days}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores. Medians of ${plan.runs} runs of ${plan.seconds} s after a warm-up of ${plan.warmUpSeconds} s. One server runs at a time, and the client that loads it has the same cores.`;
}

const folder = mkdtempSync(join(tmpdir(), 'peers-'));
try {
  const rows = new Map(readRows().map((row) => [row.name, row]));
  for (const [index, peer] of chosen.entries()) {
    const row = await runPeer(peer, join(folder, String(index)));
    rows.set(peer.name, row);
    process.stdout.write(`${formatRow(row).join(' | ')}\n`);
  }
  const kept = all.flatMap(({ name }) => rows.get(name) ?? []);
  writeFileSync(resultsFile, `${JSON.stringify(kept, null, 2)}\n`);
  const page = resolve(import.meta.dirname, '../../docs/performance.md');
  writeFileSync(page, replacePart(readFileSync(page, 'utf8'), 'peers', format(kept)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
