import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { performancePages, writeParts } from '../../support/generated-parts.ts';
import { startBackend } from '../backend/backend.ts';
import { emptyWorkFolder } from '../build.ts';
import { signQuota } from '../cost/load-model.ts';
import { cpuSeconds } from '../forward-auth/process-usage.ts';
import { usualDelays } from '../scenario.ts';
import { medianOf } from '../statistics.ts';
import {
  type LoadedServer,
  prepareBackend,
  type Reuse,
  startFunction,
  startLocalService,
} from './servers.ts';
import {
  type FirstRequests,
  formatFirstRequests,
  formatLoad,
  joinSummaries,
  type LoadRow,
  type LoadSummary,
  summarise,
  type Usage,
} from './summary.ts';
import { postForToken, putLoad } from './token-load.ts';
import { allTraffic, sendTraffic, type Traffic } from './traffic.ts';

const cases: readonly (readonly [Reuse, number, number])[] = [
  ['off', 1, 50],
  ['each instance its own', 1, 50],
  ['each instance its own', 4, 50],
];

async function measureOnce(
  reuse: Reuse,
  instances: number,
  requests: number,
): Promise<FirstRequests> {
  const backend = await startBackend();
  try {
    await prepareBackend(backend, 1);
    const servers = await Promise.all(
      Array.from({ length: instances }, () => startFunction(backend, reuse)),
    );
    await backend.command({});
    const agent = new Agent({ keepAlive: false });
    const answers = await Promise.allSettled(
      Array.from({ length: requests }, (_, index) => {
        const server = servers[index % instances];
        if (server === undefined) throw new Error(`there is no instance ${index % instances}`);
        return postForToken(server.postOf(0), agent);
      }),
    );
    const { Sign: signatures = 0 } = await backend.command({});
    await Promise.all(servers.map((server) => server.close()));
    const errors = answers.filter(({ status }) => status === 'rejected').length;
    return { reuse, instances, requests, signatures, errors };
  } finally {
    await backend.close();
  }
}

/** One client asks many times at once, and no instance has a token of it. */
async function measureFirstRequests(): Promise<readonly FirstRequests[]> {
  const rows: FirstRequests[] = [];
  for (const each of cases) rows.push(await measureOnce(...each));
  return rows;
}

/*
 * `node lab/bench/load/main.ts` sends the traffic of lab/bench/load/traffic.ts to two servers on loopback,
 * and writes its part of docs/performance.md. Linux only. It takes about three minutes. `--quick`
 * sends it once, and writes nothing.
 */

const values = new Command('node lab/bench/load/main.ts')
  .option('--quick', 'sends everything once, and writes nothing', false)
  .parse()
  .opts<{ readonly quick: boolean }>();
const rounds = values.quick ? 1 : 3;
/** Compiled code and open connections, as a service has them that was up before. */
const warmUp = { connections: 50, seconds: 5 };

interface Measured {
  readonly summary: LoadSummary;
  readonly usage: Usage;
}

async function measure(server: LoadedServer, traffic: Traffic): Promise<Measured> {
  const [cpuBefore, begin] = [cpuSeconds(server.pid), performance.now()];
  const samples = await sendTraffic(traffic, (client) => server.postOf(client));
  const seconds = (performance.now() - begin) / 1000;
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  const summary = summarise(samples);
  const usage: Usage = {
    "the server's event loop": cpu / seconds,
    'KMS Sign quota': summary.busiestSecond / signQuota,
  };
  return { summary, usage };
}

/** All traffic at one server that has just started. */
async function measureRound(server: LoadedServer): Promise<readonly Measured[]> {
  try {
    await putLoad(server.postOf(0), warmUp);
    const measured: Measured[] = [];
    for (const traffic of allTraffic) measured.push(await measure(server, traffic));
    return measured;
  } finally {
    await server.close();
  }
}

async function measureFunction(): Promise<readonly Measured[]> {
  const backend = await startBackend();
  try {
    await prepareBackend(backend, Math.max(...allTraffic.map(({ clients }) => clients)));
    return await measureRound(await startFunction(backend));
  } finally {
    await backend.close();
  }
}

async function measureLocalService(): Promise<readonly Measured[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'load-'));
  return await measureRound(await startLocalService(folder.path));
}

const servers: Readonly<Record<string, () => Promise<readonly Measured[]>>> = {
  [`token function in node:http, KMS ${usualDelays.kms} ms, DynamoDB ${usualDelays.dynamodb} ms`]:
    measureFunction,
  '`npm start`': measureLocalService,
};

function joinRows(server: string, measured: readonly (readonly Measured[])[]): LoadRow[] {
  return allTraffic.map(({ name: traffic }, index) => {
    const same = measured.flatMap((round) => round[index] ?? []);
    const summary = joinSummaries(same.map((each) => each.summary));
    return { traffic, server, summary, usage: medianOf(same.map(({ usage }) => usage)) };
  });
}

emptyWorkFolder();
const [load = Number.NaN] = loadavg();
const day = new Date().toISOString().slice(0, 10);
const measured = new Map<string, (readonly Measured[])[]>();
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, run] of Object.entries(servers)) {
    process.stdout.write(`round ${round} of ${rounds}: ${name}\n`);
    measured.set(name, [...(measured.get(name) ?? []), await run()]);
  }
}
const rows = [...measured].flatMap(([server, all]) => joinRows(server, all));
const firstRequests = await measureFirstRequests();
const about = `${day}, load average ${load.toFixed(1)} before. Medians of ${rounds} rounds, each with new processes; errors are those of all rounds. The sender runs on the same cores.`;
const parts = {
  load: `${formatLoad(rows)}\n\n${about}`,
  'first requests': formatFirstRequests(firstRequests),
};
process.stdout.write(`\n${Object.values(parts).join('\n\n')}\n`);
if (!values.quick) {
  const file = join(import.meta.dirname, '../results/load.json');
  writeFileSync(file, `${JSON.stringify({ day, load, rows, firstRequests }, null, 2)}\n`);
  writeParts(performancePages, parts);
}
