import { availableParallelism, cpus, loadavg } from 'node:os';
import { startBackend } from './backend/backend.ts';
import { buildMeasuredRuntime } from './build.ts';
import type { Plan } from './plan.ts';
import type { SampleOptions } from './sample.ts';
import { type PairName, type PairsSection, runPairsSection } from './sections/pairs.ts';
import { runTokenSection, type TokenSection } from './sections/token.ts';

/** Where and how it was measured. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cpus: number;
  /** Load average of the minute before. */
  readonly load: number;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly seconds: number;
}

/** Everything with a target, measured once. Each round starts new processes. */
export interface Round {
  readonly pairs: PairsSection;
  /** The token function in processes of its own. */
  readonly token: TokenSection;
}

/** Everything that one run of the benchmark measured. */
export interface Results {
  readonly machine: Machine;
  readonly rounds: readonly Round[];
}

/** Says on the terminal what goes on: a full run takes minutes. */
async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  process.stdout.write(`${name} ...`);
  const result = await run();
  process.stdout.write(` ${Math.round((performance.now() - begin) / 1000)} s\n`);
  return result;
}

/** Measures with a backend of its own: nothing of one round is left in the next. */
async function withBackend<T>(plan: Plan, run: (options: SampleOptions) => Promise<T>): Promise<T> {
  const backend = await startBackend();
  try {
    return await run({ backend, plan, runtime: buildMeasuredRuntime() });
  } finally {
    await backend.close();
  }
}

async function measureRounds<T>(plan: Plan, run: () => Promise<T>): Promise<readonly T[]> {
  const rounds: T[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    process.stdout.write(`round ${round} of ${plan.rounds}\n`);
    rounds.push(await run());
  }
  return rounds;
}

/** With a backend of its own, which stays on the core that it is put on. */
function measurePairsRound(plan: Plan, names?: readonly PairName[]): Promise<PairsSection> {
  return step('  handlers next to their floors', () =>
    withBackend(plan, (options) => runPairsSection(options, names)),
  );
}

async function measureRound(options: SampleOptions): Promise<Round> {
  return {
    pairs: await measurePairsRound(options.plan),
    token: await step('  token', () => runTokenSection(options)),
  };
}

/** Starts a watch. @returns what to call at the end. */
function describeRun(): () => Machine {
  const startedAt = new Date().toISOString();
  const begin = performance.now();
  const [load = Number.NaN] = loadavg();
  return () => ({
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: availableParallelism(),
    load,
    startedAt,
    seconds: (performance.now() - begin) / 1000,
  });
}

export async function measureAll(plan: Plan): Promise<Results> {
  const describe = describeRun();
  const rounds = await measureRounds(plan, () => withBackend(plan, measureRound));
  return { machine: describe(), rounds };
}

/** Only the handlers next to their floors, or some of them. */
export function measurePairs(
  plan: Plan,
  names?: readonly PairName[],
): Promise<readonly PairsSection[]> {
  return measureRounds(plan, () => measurePairsRound(plan, names));
}
