import type { FunctionProcess } from '../emulator/runtime-api/function-process.ts';
import type { Backend, Delays } from './backend/backend.ts';
import {
  type ColdStart,
  measureColdStart,
  measureWarm,
  onOneCore,
  start,
  type Target,
  type WarmRun,
} from './measure.ts';
import type { Plan } from './plan.ts';
import type { SlowMachine } from './slow-machine.ts';
import { median, medianOf } from './statistics.ts';

/** What one bundle took. Each figure is the median of its runs. */
export interface Figures {
  readonly bundleBytes: number;
  readonly moduleLoadMs: number;
  /** From the start of the process to its first response. */
  readonly firstResponseMs: number;
  /** The same on one core; not on a slow machine, and only on Linux. */
  readonly oneCore?: ColdStart | undefined;
  /** CPU time of the whole process an invocation, the runtime's loop included. */
  readonly cpuUs: number;
  /** From the call of the handler to its answer, with the delays of the options. */
  readonly wallMs: number;
  readonly maxRssMb: number;
}

export interface SampleOptions {
  readonly runtime: string;
  readonly plan: Plan;
  readonly backend: Backend;
  /** Of the backends while wall time is measured. If there are none, they answer at once. */
  readonly delays?: Delays;
  /** What slows functions down while they are measured. */
  readonly slow?: SlowMachine;
}

const noDelays: Delays = { kms: 0, dynamodb: 0 };

interface Samples {
  readonly target: Target;
  readonly moduleLoadMs: number[];
  readonly firstResponseMs: number[];
  readonly oneCore: ColdStart[];
  readonly cpuUs: number[];
  readonly wallMs: number[];
  maxRssMb: number;
}

async function sampleCold(samples: readonly Samples[], options: SampleOptions): Promise<void> {
  for (let run = 0; run < options.plan.coldRuns; run += 1) {
    for (const { target, moduleLoadMs, firstResponseMs, oneCore } of samples) {
      const { runtime, slow } = options;
      const cold = await measureColdStart(target, runtime, slow && { slow });
      moduleLoadMs.push(cold.moduleLoadMs);
      firstResponseMs.push(cold.firstResponseMs);
      if (slow === undefined && process.platform === 'linux') {
        oneCore.push(await measureColdStart(target, runtime, { launcher: onOneCore }));
      }
    }
  }
}

/** Invocations while the backends take their time: what the caller of the function waits for. */
async function measureDelayed(
  process: FunctionProcess,
  target: Target,
  { plan, backend, delays = noDelays }: SampleOptions,
): Promise<WarmRun> {
  await backend.command({ delays });
  const run = await measureWarm(process, target, plan.delayedInvocations);
  await backend.command({ delays: noDelays });
  return run;
}

async function sampleWarm(
  process: FunctionProcess,
  samples: Samples,
  options: SampleOptions,
): Promise<void> {
  const { target } = samples;
  const warm = await measureWarm(process, target, options.plan.invocations);
  samples.cpuUs.push(warm.cpuUs);
  samples.maxRssMb = warm.maxRssMb;
  const { wallMs } =
    options.delays === undefined ? warm : await measureDelayed(process, target, options);
  samples.wallMs.push(wallMs);
}

function toFigures(samples: Samples): Figures {
  return {
    bundleBytes: samples.target.bundle.bytes,
    moduleLoadMs: median(samples.moduleLoadMs),
    firstResponseMs: median(samples.firstResponseMs),
    ...(samples.oneCore.length > 0 && { oneCore: medianOf(samples.oneCore) }),
    cpuUs: median(samples.cpuUs),
    wallMs: median(samples.wallMs),
    maxRssMb: samples.maxRssMb,
  };
}

/** Each of several events is sent at least once before anything counts. */
async function warmUp(process: FunctionProcess, target: Target, plan: Plan): Promise<void> {
  await measureWarm(process, target, Math.max(plan.warmUp, target.events?.length ?? 0));
}

/** Measures targets by turns, so that what disturbs the machine disturbs all of them alike. */
export async function sampleTargets<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
  options: SampleOptions,
): Promise<Readonly<Record<Name, Figures>>> {
  const names = Object.keys(targets) as Name[];
  const samples = names.map((name): Samples => {
    const target = targets[name];
    return {
      target,
      moduleLoadMs: [],
      firstResponseMs: [],
      oneCore: [],
      cpuUs: [],
      wallMs: [],
      maxRssMb: 0,
    };
  });
  await sampleCold(samples, options);
  const running: (readonly [FunctionProcess, Samples])[] = [];
  for (const each of samples) {
    const process = await start(each.target, options.runtime);
    running.push([process, each]);
  }
  // Nothing is measured while processes warm up, so they do so at the same time.
  await Promise.all(running.map(([process, { target }]) => warmUp(process, target, options.plan)));
  for (const [process] of running) options.slow?.add(process.pid);
  for (let run = 0; run < options.plan.runs; run += 1) {
    for (const [process, each] of running) await sampleWarm(process, each, options);
  }
  await Promise.all(running.map(([process]) => process.close()));
  const figures = samples.map((each, index) => [names[index], toFigures(each)] as const);
  return Object.fromEntries(figures) as Record<Name, Figures>;
}
