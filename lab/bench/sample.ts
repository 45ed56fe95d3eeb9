import type { FunctionProcess } from '../emulator/runtime-api/function-process.ts';
import type { Backend, Delays } from './backend/backend.ts';
import {
  beforeOthers,
  measureColdStart,
  measureWarm,
  onOneCore,
  start,
  type Target,
  type WarmRun,
} from './measure.ts';
import type { Plan } from './plan.ts';
import { noDelays } from './scenario.ts';
import { inDrawnOrder, medianOf, percentileOf } from './statistics.ts';

/** A start of a new process. */
interface ColdFigures {
  /** From the start of the process to its first response. */
  readonly firstResponseMs: number;
  /** The same on one core; only on Linux. */
  readonly oneCore?: { readonly firstResponseMs: number } | undefined;
}

/**
 * What one bundle took. Each figure is the median of its runs, of starts the lower quartile: what
 * disturbs the machine only adds. CPU time includes the runtime's loop, wall time the delays of the
 * options.
 */
export interface Figures extends ColdFigures, WarmRun {
  readonly bundleBytes: number;
}

export interface SampleOptions {
  readonly runtime: string;
  readonly plan: Plan;
  readonly backend: Backend;
  /** Of the backends while wall time is measured. If there are none, they answer at once. */
  readonly delays?: Delays;
}

interface Samples {
  readonly target: Target;
  readonly cold: ColdFigures[];
  readonly warm: WarmRun[];
}

async function sampleCold(target: Target, { runtime }: SampleOptions): Promise<ColdFigures> {
  const firstResponseMs = await measureColdStart(target, runtime, beforeOthers);
  if (process.platform !== 'linux') return { firstResponseMs };
  const oneCore = { firstResponseMs: await measureColdStart(target, runtime, onOneCore) };
  return { firstResponseMs, oneCore };
}

async function sampleWarm(
  process: FunctionProcess,
  target: Target,
  { plan, backend, delays }: SampleOptions,
): Promise<WarmRun> {
  const warm = await measureWarm(process, target, plan.invocations);
  if (delays === undefined) return warm;
  // What the caller of the function waits for while the backends take their time.
  await backend.command({ delays });
  const { wallMs } = await measureWarm(process, target, plan.delayedInvocations);
  await backend.command({ delays: noDelays });
  return { ...warm, wallMs };
}

/** Measures targets by turns, so that what disturbs the machine disturbs all of them alike. */
export async function sampleTargets<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
  options: SampleOptions,
): Promise<Readonly<Record<Name, Figures>>> {
  const { plan, runtime } = options;
  const samples = Object.values<Target>(targets).map(
    (target): Samples => ({ target, cold: [], warm: [] }),
  );
  for (let run = 0; run < plan.coldRuns; run += 1) {
    for (const { target, cold } of inDrawnOrder(samples))
      cold.push(await sampleCold(target, options));
  }
  const running: (readonly [FunctionProcess, Samples])[] = [];
  for (const each of samples) running.push([await start(each.target, runtime), each]);
  // Nothing is measured while processes warm up, so they do so at the same time.
  await Promise.all(
    running.map(([process, { target }]) => measureWarm(process, target, plan.warmUp)),
  );
  for (let run = 0; run < plan.runs; run += 1) {
    for (const [process, { target, warm }] of running) {
      warm.push(await sampleWarm(process, target, options));
    }
  }
  await Promise.all(running.map(([process]) => process.close()));
  const names = Object.keys(targets);
  const figures = samples.map(({ target, cold, warm }, index) => [
    names[index],
    { bundleBytes: target.bundle.bytes, ...percentileOf(cold, 0.25), ...medianOf(warm) },
  ]);
  return Object.fromEntries(figures) as Record<Name, Figures>;
}
