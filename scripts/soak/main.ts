import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FaultRuleInput } from '../../local/faults/fault-script.ts';
import { Faults } from '../../local/faults/faults.ts';
import { startLocal } from '../../local/start-local.ts';
import { drawChart, type FaultPeriod } from './chart.ts';
import { type Sample, Traffic } from './traffic.ts';

const usage = `Mixed traffic on the local run while things break and heal.

usage: npm run soak [-- --seconds <n>] [--requests <n>] [--chart <file>]

  --seconds   at most so long; 180 where not given
  --requests  at most so many; 200000 where not given
  --chart     where to draw latency over time; .local/soak.svg where not given
`;

/** What breaks, one after the other, each followed by as long a calm. */
const troubles: readonly { readonly name: string; readonly rules: readonly FaultRuleInput[] }[] = [
  {
    name: 'KMS throttles 30 %',
    rules: [{ service: 'kms', fault: 'error', code: 'ThrottlingException', share: 0.3 }],
  },
  { name: 'DynamoDB resets 20 %', rules: [{ service: 'dynamodb', fault: 'reset', share: 0.2 }] },
  {
    name: 'KMS takes 400 ms',
    rules: [{ service: 'kms', fault: 'latency', milliseconds: 400, jitter: 200 }],
  },
  {
    name: 'DynamoDB is down',
    rules: [{ service: 'dynamodb', fault: 'error', code: 'InternalServerError' }],
  },
];

/** Requests under way at any time: what two cores carry without queueing. */
const concurrency = 8;

/** A request may have begun in trouble: its answer may come so much later, in milliseconds. */
const aftermath = 6000;

/** Growth of the heap after the first calm that is borne: what is left of parsed code and caches. */
const maxGrowth = 0.05;

function readArguments() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '180' },
      requests: { type: 'string', default: '200000' },
      chart: { type: 'string', default: resolve(import.meta.dirname, '../../.local/soak.svg') },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  return {
    seconds: Number(values.seconds),
    requests: Number(values.requests),
    chart: values.chart,
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are still in use. */
function heapInUse(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

function percentile(samples: readonly Sample[], share: number): string {
  const sorted = samples.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  return (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0);
}

function report(samples: readonly Sample[]): void {
  const byKind = Map.groupBy(samples, ({ kind }) => kind);
  for (const [kind, some] of byKind) {
    const statuses = [...Map.groupBy(some, ({ status }) => status)]
      .toSorted(([a], [b]) => a - b)
      .map(([status, list]) => `${status}: ${list.length}`);
    process.stdout.write(
      `  ${kind}: ${some.length} requests (${statuses.join(', ')}), median ${percentile(some, 0.5)} ms, p99 ${percentile(some, 0.99)} ms\n`,
    );
  }
}

async function main(): Promise<void> {
  const { seconds, requests, chart } = readArguments();
  const state = mkdtempSync(join(tmpdir(), 'soak-'));
  const faults = new Faults();
  const service = await startLocal({ stateDirectory: state, port: 0, faults });
  const traffic = new Traffic(service);
  await traffic.prepare();
  // Each trouble has its calm before it, and the last one a calm after it.
  const part = (seconds * 1000) / (troubles.length * 2 + 1);
  const start = performance.now();
  const now = (): number => performance.now() - start;
  const periods: FaultPeriod[] = troubles.map(({ name }, index) => ({
    name,
    from: (index * 2 + 1) * part,
    until: (index * 2 + 2) * part,
  }));
  const isBroken = (): boolean =>
    periods.some(({ from, until }) => now() >= from && now() < until + aftermath);

  const samples: Sample[] = [];
  const timers = periods.flatMap(({ from, until }, index) => [
    setTimeout(
      () => faults.play({ seed: index + 1, rules: [...(troubles[index]?.rules ?? [])] }),
      from,
    ),
    setTimeout(() => faults.stop(), until),
  ]);
  let baseline = 0;
  timers.push(
    setTimeout(() => {
      baseline = heapInUse();
    }, part),
  );
  const isOver = (): boolean => now() >= seconds * 1000 || samples.length >= requests;
  const work = async (): Promise<void> => {
    while (!isOver()) samples.push(await traffic.next(isBroken));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const timer of timers) clearTimeout(timer);

  report(samples);
  writeFileSync(chart, drawChart(samples, periods));
  const wrong = samples.flatMap((sample) => sample.wrong ?? []);
  for (const line of wrong.slice(0, 10)) process.stdout.write(`  wrong: ${line}\n`);
  const count = samples.length;
  // What the soak itself remembers is no leak of the service.
  samples.length = 0;
  const growth = heapInUse() / baseline - 1;
  traffic.close();
  const sockets = openSockets();
  await service.close();
  rmSync(state, { recursive: true, force: true });
  process.stdout.write(
    `figure: soak: requests ${count}, seconds ${seconds}, faults ${troubles.length}, wrong outcomes ${wrong.length}, heap growth ${(growth * 100).toFixed(1)} %, open sockets ${sockets}, chart ${chart}\n`,
  );
  if (wrong.length > 0 || growth > maxGrowth) process.exitCode = 1;
}

await main();
