import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { performancePages, writeParts } from '../../support/generated-parts.ts';
import { countFrom } from '../../support/parse-count.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { findOldFacts, listFacts } from './comparison.ts';
import { hydra } from './hydra.ts';
import { keycloak, spring } from './java-peers.ts';
import { measurePeer, type PeerPlan } from './measure-peer.ts';
import { bareServer, localRun, oidcProvider, ours } from './node-peers.ts';
import type { Peer } from './peer.ts';
import { formatLine, formatPeers, type PeerRoles, type PeerRow } from './table.ts';

/*
 * `npm run bench:peers` installs other authorization servers to a temporary folder, has each issue
 * the same kind of token, and writes the table of docs/performance.md. Linux only; the peers take
 * Maven, Java 17 and Go. `--only <part of a name>` measures only these, and keeps the rows
 * of the others. It also says which cells of docs/compare.md no one has read for a year.
 */

const values = new Command('npm run bench:peers --')
  .option('--only <names...>', 'measures only the peers with these parts of names')
  .option('--seconds <n>', 'of one measurement', countFrom(1), 7)
  .option('--comparison', 'only says which cells of docs/compare.md are old')
  .parse()
  .opts<{
    readonly only?: readonly string[];
    readonly seconds: number;
    readonly comparison?: boolean;
  }>();

const plan: PeerPlan = {
  // Java's compilers need thousands of requests.
  warmUpSeconds: 3 * values.seconds,
  seconds: values.seconds,
  runs: 3,
  connections: 50,
};

const all: readonly Peer[] = [bareServer, ours, oidcProvider, localRun, spring, hydra, keycloak];
const chosen = all.filter(
  ({ name }) =>
    values.only?.some((part) => name.toLowerCase().includes(part.toLowerCase())) ?? true,
);

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

const signaturePrograms = {
  java: ['java', 'signature-price.java'],
  go: ['go', 'run', 'signature-price.go'],
} as const;

/** What the others sign with: the same work in their own language. */
async function priceSignature(language: Peer['signs']): Promise<number> {
  if (language === 'node') return priceNodeSignature();
  return Number(await runOrThrow(signaturePrograms[language], { cwd: import.meta.dirname }));
}

async function runPeer(peer: Peer, folder: string): Promise<PeerRow> {
  mkdirSync(folder);
  const { name, version, settings } = peer;
  const [before = Number.NaN] = loadavg();
  const about = { name, version, settings, day: new Date().toISOString().slice(0, 10), plan };
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

const roles: PeerRoles = {
  ours: [ours.name, localRun.name],
  peers: [oidcProvider, spring, hydra, keycloak].map(({ name }) => name),
  targets: [
    { ours: ours.name, other: bareServer.name, bound: 1.2 },
    { ours: localRun.name, other: ours.name, bound: 1.3 },
  ],
};

function checkComparison(): void {
  const old = findOldFacts(listFacts(), Date.now());
  const lines = old.map((cell) => `  ${cell}\n`).join('');
  process.stdout.write(`docs/compare.md: ${old.length} cells are over a year old\n${lines}`);
}

async function measurePeers(folder: string): Promise<void> {
  const rows = new Map(readRows().map((row) => [row.name, row]));
  for (const [index, peer] of chosen.entries()) {
    const row = await runPeer(peer, join(folder, String(index)));
    rows.set(peer.name, row);
    process.stdout.write(`${formatLine(row)}\n`);
  }
  const kept = all.flatMap(({ name }) => rows.get(name) ?? []);
  writeFileSync(resultsFile, `${JSON.stringify(kept, null, 2)}\n`);
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores`;
  writeParts(performancePages, { peers: formatPeers(kept, machine, roles) });
}

checkComparison();
if (values.comparison !== true) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'peers-'));
  await measurePeers(folder.path);
}
