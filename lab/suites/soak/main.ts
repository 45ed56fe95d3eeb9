import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { median } from '../../bench/statistics.ts';
import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';
import { countFrom } from '../../support/parse-count.ts';
import { type Measurement, type SoakedService, startService } from './service.ts';
import { Traffic } from './traffic.ts';

/** Something that breaks. */
interface Trouble {
  readonly name: string;
  readonly rules: readonly FaultRuleInput[];
}

/** A time in which something is broken, in milliseconds since the soak began. */
interface FaultPeriod extends Trouble {
  readonly from: number;
  readonly until: number;
}

interface Schedule {
  /** Milliseconds: from then on the heap and the sockets are compared. */
  readonly warmUntil: number;
  readonly end: number;
  readonly periods: readonly FaultPeriod[];
}

const troubles: readonly Trouble[] = [
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
  { name: 'KMS breaks off', rules: [{ service: 'kms', fault: 'partial_body', bytes: 20 }] },
];

/**
 * Share of the run in which everything breaks once already. What a path needs when it runs for the
 * first time, parsed and compiled code above all, is in memory for good and is no leak.
 */
const warmShare = 0.35;

/** One trouble after the other, each with its calm before it, and the last one a calm after it. */
function spread(from: number, until: number): readonly FaultPeriod[] {
  const part = (until - from) / (troubles.length * 2 + 1);
  return troubles.map((trouble, index) => ({
    ...trouble,
    from: from + (index * 2 + 1) * part,
    until: from + (index * 2 + 2) * part,
  }));
}

function makeSchedule(seconds: number): Schedule {
  const end = seconds * 1000;
  const warmUntil = end * warmShare;
  return { warmUntil, end, periods: [...spread(0, warmUntil), ...spread(warmUntil, end)] };
}

/** Below, a fault is over before requests have met it, and the heap is still growing into its size. */
const minSeconds = 60;

const { seconds } = new Command('npm run test:all -- soak')
  .description('Mixed traffic on the local run while things break and heal.')
  .option('--seconds <n>', `so long, from ${minSeconds}`, countFrom(minSeconds), 180)
  .parse()
  .opts<{ readonly seconds: number }>();

/**
 * How the heap has grown between the first and the last quarter of the measurements: the share of
 * what it was, and the medians in MB, since one measurement may meet many requests under way.
 */
function growthOf(measured: readonly Measurement[]) {
  const quarter = Math.floor(measured.length / 4);
  const first = measured.slice(0, quarter);
  const last = measured.slice(measured.length - quarter);
  const heapOf = (some: readonly Measurement[]): number => median(some.map(({ heap }) => heap));
  const [from, to] = [heapOf(first), heapOf(last)];
  const share = to / from - 1;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  const percent = (share * 100).toFixed(1);
  return { share, percent, from: megabytes(from), to: megabytes(to) };
}

/** Requests under way at any time: what two cores carry without queueing. */
const concurrency = 8;

/**
 * Milliseconds by which a fault may outlast its end: until the service has heard that it is over.
 * A request that began before is judged as one in trouble, however late its answer comes.
 */
const aftermath = 500;

/** Measurements after the warm-up: enough that a quarter of them has a median worth its name. */
const measurements = 32;

/** Growth of the heap after the warm-up that is borne. */
const maxGrowth = 0.05;

/**
 * Connections that the requests under way can account for, counted at both ends if both are in
 * the service's process: from the load; token to DynamoDB and KMS; authorizer and JWKS to DynamoDB;
 * and from the faults before both services to what is behind them.
 */
const maxSockets = concurrency * (1 + 2 * (2 + 2 + 2));

/** What a soak saw. */
interface Record {
  /** Of each request, what is wrong with its answer. */
  readonly outcomes: readonly (string | undefined)[];
  readonly measured: readonly Measurement[];
  /** Calls that each fault affected, in the order of the schedule. */
  readonly affected: readonly number[];
}

/** Breaks and heals things as scheduled, and counts the calls that each fault affected. */
async function playFaults(
  { periods }: Schedule,
  service: SoakedService,
  waitUntil: (at: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const affected: number[] = [];
  for (const { from, until, rules } of periods) {
    if (!(await waitUntil(from))) break;
    await service.play(rules);
    const isComplete = await waitUntil(until);
    await service.play([]);
    affected.push(await service.takeAffected());
    if (!isComplete) break;
  }
  return affected;
}

async function measureAll(
  { warmUntil, end }: Schedule,
  service: SoakedService,
  waitUntil: (at: number) => Promise<boolean>,
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (let count = 0; count < measurements; count += 1) {
    const at = warmUntil + ((end - warmUntil) * count) / measurements;
    if (!(await waitUntil(at))) break;
    measured.push(await service.measure());
  }
  return measured;
}

async function run(schedule: Schedule, service: SoakedService, traffic: Traffic): Promise<Record> {
  const outcomes: (string | undefined)[] = [];
  const start = performance.now();
  const now = (): number => performance.now() - start;
  const isOver = (): boolean => now() >= schedule.end;
  /** @returns false if the soak is over before. */
  const waitUntil = async (at: number): Promise<boolean> => {
    while (now() < at && !isOver()) await sleep(Math.min(100, Math.max(1, at - now())));
    return now() >= at;
  };
  const isBroken = (): boolean =>
    schedule.periods.some(({ from, until }) => now() >= from && now() < until + aftermath);
  const work = async (): Promise<void> => {
    while (!isOver()) outcomes.push(await traffic.next(isBroken));
  };
  const [affected, measured] = await Promise.all([
    playFaults(schedule, service, waitUntil),
    measureAll(schedule, service, waitUntil),
    ...Array.from({ length: concurrency }, work),
  ]);
  return { outcomes, measured, affected };
}

function mostSockets(measured: readonly Measurement[]): number {
  return Math.max(...measured.map(({ sockets }) => sockets));
}

/** What the soak must not show; empty if all is well. */
function findProblems(
  schedule: Schedule,
  record: Record,
  growth: ReturnType<typeof growthOf>,
): readonly string[] {
  const { outcomes, measured, affected } = record;
  const problems = outcomes.flatMap((wrong) => (wrong === undefined ? [] : [`wrong: ${wrong}`]));
  const missed = schedule.periods.filter((_, index) => (affected[index] ?? 0) === 0);
  if (missed.length > 0 || measured.length < measurements) {
    problems.push(
      `the soak proves nothing: ${measured.length} of ${measurements} measurements, no call affected by ${missed.map(({ name }) => name).join(', ') || 'none'}`,
    );
  }
  if (!(growth.share <= maxGrowth)) problems.push(`the heap grows by ${growth.percent} %`);
  const sockets = mostSockets(measured);
  if (sockets > maxSockets) problems.push(`${sockets} open sockets; allowed: ${maxSockets}`);
  return problems;
}

const service = await startService();
const traffic = new Traffic(service.target);
await traffic.prepare();
const schedule = makeSchedule(seconds);
const record = await run(schedule, service, traffic);
traffic.close();
// The last answers' connections close.
await sleep(200);
const { sockets } = await service.measure();
await service.close();

const growth = growthOf(record.measured);
const problems = findProblems(schedule, record, growth);
for (const problem of problems.slice(0, 10)) process.stdout.write(`  ${problem}\n`);
const wrong = record.outcomes.filter((one) => one !== undefined).length;
const faults = record.affected.filter((count) => count > 0).length;
const calls = record.affected.reduce((sum, count) => sum + count, 0);
process.stdout.write(
  `figure: soak: requests ${record.outcomes.length}, seconds ${seconds}, faults ${faults}, calls affected ${calls}, wrong outcomes ${wrong}, heap after the warm-up ${growth.from} MB, at the end ${growth.to} MB, growth ${growth.percent} %, open sockets at most ${mostSockets(record.measured)}, with no load ${sockets}\n`,
);
if (problems.length > 0) process.exitCode = 1;
