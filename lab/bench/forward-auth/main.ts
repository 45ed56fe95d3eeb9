import assert from 'node:assert/strict';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { createManagement } from '../../../adapters/management.ts';
import { forwardAuthBuildOptions } from '../../build/packages.ts';
import { sendRequest } from '../../emulator/http-exchange.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { readRunConfig } from '../../local/state.ts';
import { startForwardAuthProcess } from '../../support/forward-auth-process.ts';
import { formatTable, performancePages, writeParts } from '../../support/generated-parts.ts';
import type { Command } from '../../support/run-command.ts';
import { fetchToken } from '../../support/token-request.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { root } from '../build.ts';
import { keepBusy } from '../load/token-load.ts';
import { median, percentile } from '../statistics.ts';
import { cpuSeconds, type MeasuredProcess, peakMegabytes } from './process-usage.ts';

/** How Node starts forward-auth in a container: the Dockerfile's entry point without the file. */
function readContainerCommand(): Command {
  const dockerfile = readFileSync(join(root, 'examples/forward-auth/Dockerfile'), 'utf8');
  const text = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile)?.[1] ?? '[]';
  const [, ...args] = JSON.parse(text) as readonly string[];
  return [process.execPath, ...args.slice(0, -1)];
}

/** Commands of the programs that are measured, both as one file and with the same heap. */
type Programs = Readonly<Record<'forwardAuth' | 'reference', Command>>;

/** Builds the programs of the sources as they are. */
function buildPrograms(outdir: string): Programs {
  const outExtension = { '.js': '.mjs' };
  buildSync({ ...forwardAuthBuildOptions, outdir, outExtension });
  const entryPoints = { reference: join(import.meta.dirname, 'reference-server.ts') };
  buildSync({ ...forwardAuthBuildOptions, entryPoints, outdir, outExtension });
  const node = readContainerCommand();
  return {
    forwardAuth: [...node, join(outdir, 'forward-auth.mjs')],
    reference: [...node, join(outdir, 'reference.mjs')],
  };
}

/*
 * `node lab/bench/forward-auth/main.ts` measures CPU time and memory of the check, next to bare node:http
 * and to parts of the work on it, and writes its part of docs/performance.md. Linux only. All
 * figures are of one run: a busy machine makes all of them higher, so ratios count.
 */

/** Enough for the compiler to settle, then enough ticks of 10 ms for a figure within 3 %. */
const warmUp = 4000;
const measured = 16_000;
/** Other work on the machine disturbs single rounds: the median counts. */
const rounds = 5;
/** A proxy under load keeps so many to the check. */
const connections = 50;
/** Callers each have an API key of their own. */
const apiKeyCount = 100;

interface Figures {
  readonly cpuUs: number;
  /** CPU time as a multiple of bare node:http's in the same round. */
  readonly ratio: number;
  /** Milliseconds, as the sender sees them. */
  readonly p99Ms: number;
  readonly megabytes: number;
}

async function get(url: string, credential: string, agent: Agent): Promise<number> {
  const headers = { authorization: `Bearer ${credential}`, 'x-real-ip': '127.0.0.1' };
  return (await sendRequest(url, { agent, headers })).status;
}

/** @returns how long each request took, in milliseconds. */
async function send(
  url: string,
  credentials: readonly string[],
  count: number,
): Promise<readonly number[]> {
  let left = count;
  const isMore = () => left-- > 0;
  return keepBusy(connections, isMore, async (agent) => {
    const status = await get(url, credentials[left % credentials.length] ?? '', agent);
    assert.ok(status === 200 || status === 202, `${url}: ${status}`);
  });
}

/** One round: CPU time of each request in microseconds, and how long each took. */
async function measureRound({ url, pid }: MeasuredProcess, credentials: readonly string[]) {
  const before = cpuSeconds(pid);
  const times = await send(url, credentials, measured);
  return { cpuUs: ((cpuSeconds(pid) - before) * 1e6) / measured, p99: percentile(times, 0.99) };
}

/** Rounds of a program alternate with rounds of bare node:http, since the machine's speed changes. */
async function measure(
  bare: MeasuredProcess,
  running: MeasuredProcess,
  credentials: readonly string[],
): Promise<Figures> {
  await send(running.url, credentials, warmUp);
  const all: (Awaited<ReturnType<typeof measureRound>> & { readonly ratio: number })[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const reference = await measureRound(bare, credentials);
    const figures = await measureRound(running, credentials);
    all.push({ ...figures, ratio: figures.cpuUs / reference.cpuUs });
  }
  const megabytes = peakMegabytes(running.pid);
  await running.stop();
  return {
    cpuUs: median(all.map(({ cpuUs }) => cpuUs)),
    ratio: median(all.map(({ ratio }) => ratio)),
    p99Ms: median(all.map(({ p99 }) => p99)),
    megabytes,
  };
}

type Start = (...args: readonly string[]) => Promise<MeasuredProcess>;

interface Credentials extends Readonly<Record<'token' | 'issuer' | 'audience', string>> {
  readonly apiKeys: readonly string[];
}

/** The rows of the table, in order; a program runs only while it is measured. */
async function measureRows(
  [reference, check]: readonly [reference: Start, check: Start],
  { token, apiKeys, issuer, audience }: Credentials,
): Promise<Readonly<Record<string, Figures>>> {
  const bare = await reference('bare');
  await send(bare.url, [token], warmUp);
  const rows: readonly (readonly [
    string,
    () => Promise<MeasuredProcess>,
    string | readonly string[],
  ])[] = [
    ['bare node:http', () => reference('bare'), token],
    ['node:http and one RS256 signature', () => reference('signature'), token],
    ['node:http and one request by node:http', () => reference('request', bare.url), token],
    ['jose on node:http, own token', () => reference('jose', issuer, audience), token],
    ['forward-auth, own token', () => check(), token],
    ['forward-auth, own token, --token-memory 0', () => check('--token-memory', '0'), token],
    ['forward-auth, own token, every request logged', () => check('--log', 'all'), token],
    ['forward-auth, API key', () => check(), apiKeys],
    ['forward-auth, API key, --cache-lookups 5', () => check('--cache-lookups', '5'), apiKeys],
  ];
  const results: Record<string, Figures> = {};
  for (const [name, start, credential] of rows) {
    results[name] = await measure(bare, await start(), [credential].flat());
  }
  await bare.stop();
  return results;
}

async function createApiKeys({ aws, paths }: LocalRun): Promise<readonly string[]> {
  const management = createManagement({ config: readRunConfig(paths), aws });
  const values: string[] = [];
  for (let count = 0; count < apiKeyCount; count += 1) {
    const key = { name: `caller ${count}`, serviceTrunkGroup: 'bench', subnets: [] };
    values.push((await management.createApiKey(key)).value ?? '');
  }
  return values;
}

async function measureAll(programs: Programs): Promise<Readonly<Record<string, Figures>>> {
  return withLocalService({}, async (service) => {
    const { environment } = service;
    const { ISSUER: issuer = '', AUDIENCE: audience = '' } = environment;
    async function start(command: Command, args: readonly string[]): Promise<MeasuredProcess> {
      const running = await startForwardAuthProcess({ command, args, environment });
      return {
        url: `${running.address}/verify/messaging:view`,
        pid: running.child.pid ?? 0,
        stop: () => running.stop(),
      };
    }
    const options = ['--issuer', issuer, '--audience', audience, '--tables', 'local'];
    const token = await fetchToken(service.tokenUrl, service);
    return measureRows(
      [
        (...args) => start([...programs.reference, ...args], []),
        (...args) =>
          start(programs.forwardAuth, [
            ...options,
            '--client-address-header',
            'X-Real-IP',
            ...args,
          ]),
      ],
      { token, apiKeys: await createApiKeys(service), issuer, audience },
    );
  });
}

/** What the project holds itself to: CPU as a multiple of bare node:http, and memory. */
const targets: Readonly<Record<string, number>> = {
  'forward-auth, own token': 2.0,
  'forward-auth, API key': 3.5,
};
const memoryTarget = 125;
const verdict = (isMet: boolean): string => (isMet ? 'met' : '**short**');

using outdir = mkdtempDisposableSync(join(tmpdir(), 'bench-forward-auth-'));
const results = await measureAll(buildPrograms(outdir.path));
const rows = Object.entries(results).map(([name, { cpuUs, ratio, p99Ms, megabytes }]) => {
  const target = targets[name];
  return [
    name,
    `${Math.round(cpuUs)} µs`,
    String(Math.round(1e6 / cpuUs)),
    ratio.toFixed(2),
    `${p99Ms.toFixed(1)} ms`,
    `${Math.round(megabytes)} MB`,
    target === undefined ? '–' : `≤ ${target.toFixed(1)}, ≤ ${memoryTarget} MB`,
    target === undefined
      ? ''
      : `CPU ${verdict(ratio <= target)}, memory ${verdict(megabytes <= memoryTarget)}`,
  ];
});
const head = [
  '',
  'CPU per request',
  'per second and core',
  '× bare',
  'p99',
  'peak memory',
  'to reach',
  '',
];
const machine = `Measured ${new Date().toISOString().slice(0, 10)} on Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, the median of ${rounds} rounds of ${measured} requests over ${connections} connections, each after a round of bare node:http.`;
const content = `${machine}\n\n${formatTable([head, ...rows])}`;
writeParts(performancePages, { 'forward-auth': content });
process.stdout.write(`${content}\n`);
