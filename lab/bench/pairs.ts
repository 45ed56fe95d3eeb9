import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { startChildScript } from '../support/child-script.ts';
import { workFolder } from './build.ts';
import type { Target } from './measure.ts';
import type { PairPlan } from './plan.ts';
import type { SampleOptions } from './sample.ts';
import { percentile } from './statistics.ts';

/*
 * What a handler costs next to its floor (docs/adr/0074). Both run in one process and are called
 * directly, in short blocks, one of each in drawn order. A time is the lower quartile of its blocks: a
 * disturbance of the machine only adds. The heap's growth is their median: it is the same on every
 * machine, and less in a block in which V8 collects.
 */

/** Warm: one invocation after the other. Cold: the caches are emptied before each. */
export type Temperature = 'warm' | 'cold';
type SideName = 'ours' | 'floor';
/** The heap is measured in the warm blocks. */
export type PairMeasure = Temperature | 'heap';

export interface PairSide {
  readonly taskRoot: string;
  readonly event: unknown;
  /** What every answer must be: a status code, or `Allow`. */
  readonly outcome: unknown;
  /** Variables that only this side has when it is loaded. */
  readonly ownEnvironment?: Readonly<Record<string, string>> | undefined;
}

export interface PairQuestion {
  readonly ours: PairSide;
  readonly floor: PairSide;
  readonly plan: PairPlan;
}

/** CPU time of one invocation in each block, in microseconds, and the bytes that it allocates. */
export type PairBlocks = Readonly<Record<PairMeasure, Readonly<Record<SideName, number[]>>>>;

/** CPU time of one invocation, in microseconds, or the bytes that it allocates. */
export type PairFigures = Readonly<Record<SideName, number>>;

/** None if no such block was measured. */
export type PairSection = Readonly<Partial<Record<PairMeasure, PairFigures>>>;

export type PairTarget = Omit<Target, 'check'> & Pick<PairSide, 'outcome' | 'ownEnvironment'>;

/** A heap that is the same on every machine: V8 otherwise chooses by the memory that it finds. */
const fixedHeap = [
  '--max-old-space-size=400',
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
];

/** @throws {Error} if a variable has two values: the process has one environment. */
function joinEnvironments(sides: readonly PairTarget[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const { environment } of sides) {
    for (const [name, value] of Object.entries(environment)) {
      if ((joined[name] ?? value) !== value) throw new Error(`${name} has two values`);
      joined[name] = value;
    }
  }
  return joined;
}

function summarise(blocks: PairBlocks): PairSection {
  const entries = Object.entries(blocks).flatMap(([measure, { ours, floor }]) => {
    const share = measure === 'heap' ? 0.5 : 0.25;
    const figures = { ours: percentile(ours, share), floor: percentile(floor, share) };
    return ours.length === 0 ? [] : [[measure, figures] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * Puts a process on the last core, before all others there. When the handler waits, the backend runs:
 * so other work of the machine does not fill their caches. A machine that allows neither (it takes
 * Linux, and root for the priority) measures with its other work.
 */
function keepOnLastCore(pid: number): void {
  spawnSync('taskset', ['-apc', String(availableParallelism() - 1), String(pid)]);
  try {
    // Each thread has its own priority: those that verify, compile and collect count as well.
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      setPriority(Number(thread), constants.priority.PRIORITY_HIGHEST);
    }
  } catch {
    // It runs as before.
  }
}

/**
 * Measures both in a process of their own. Their log goes to a file: a reader's core sleeps on a quiet
 * machine and works on a busy one, which changed the token's ratio by 5 per cent.
 */
async function measureInProcess(
  ours: PairTarget,
  floor: PairTarget,
  plan: PairPlan,
  backend: SampleOptions['backend'],
): Promise<PairSection> {
  const log = openSync(join(workFolder, 'pairs.log'), 'w');
  const script = await startChildScript<object, PairQuestion, PairBlocks>(
    join(import.meta.dirname, 'pairs-process.ts'),
    {
      env: { ...process.env, AWS_REGION: 'us-west-2', ...joinEnvironments([ours, floor]) },
      execArgv: fixedHeap,
      stdio: ['ignore', log, 'inherit', 'ipc'],
    },
  );
  closeSync(log);
  keepOnLastCore(backend.pid);
  if (script.child.pid !== undefined) keepOnLastCore(script.child.pid);
  const toSide = ({ bundle, event, outcome, ownEnvironment }: PairTarget): PairSide => ({
    taskRoot: bundle.taskRoot,
    event,
    outcome,
    ownEnvironment,
  });
  try {
    return summarise(await script.ask({ ours: toSide(ours), floor: toSide(floor), plan }));
  } finally {
    await script.close();
  }
}

/**
 * Measures both, in several processes if the plan has them, because code and memory lie differently in
 * each. Of each measure, it is the process whose ratio is the median.
 */
export async function measurePair(
  ours: PairTarget,
  floor: PairTarget,
  plan: PairPlan,
  backend: SampleOptions['backend'],
): Promise<PairSection> {
  const sections: PairSection[] = [];
  for (let process = 0; process < plan.processes; process += 1) {
    sections.push(await measureInProcess(ours, floor, plan, backend));
  }
  const ratioOf = (figures: PairFigures) => figures.ours / figures.floor;
  const middle = (measure: PairMeasure) => {
    const figures = sections.flatMap((section) => section[measure] ?? []);
    return figures.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(figures.length / 2)];
  };
  const measured = Object.keys(sections[0] ?? {}) as readonly PairMeasure[];
  return Object.fromEntries(measured.map((each) => [each, middle(each)]));
}
