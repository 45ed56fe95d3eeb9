import {
  type FunctionProcess,
  startFunctionProcess,
} from '../local/runtime-api/function-process.ts';
import type { Bundle } from './build.ts';

/** A cold start: times are milliseconds. */
export interface ColdStart {
  readonly moduleLoadMs: number;
  /** From the process's start to the first response. */
  readonly firstResponseMs: number;
}

export interface WarmRun {
  /** User and system time of the whole process, microseconds an invocation. */
  readonly cpuUs: number;
  /** From the call of the handler to its answer, milliseconds: median of the run. */
  readonly wallMs: number;
  /** Largest resident size of the process so far. */
  readonly maxRssMb: number;
}

export interface Target {
  readonly bundle: Bundle;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: unknown;
  /** Refuses a response that a benchmark may not count. */
  readonly check: (payload: unknown) => void;
}

const awsRegion = 'us-west-2';

/** Starts a bundle with nothing measured yet. */
export function start(
  target: Target,
  runtime: string,
  onOutput?: (text: string) => void,
): Promise<FunctionProcess> {
  const { bundle, environment } = target;
  return startFunctionProcess({
    name: bundle.name,
    taskRoot: bundle.taskRoot,
    environment,
    awsRegion,
    runtime,
    ...(onOutput === undefined ? {} : { onOutput }),
  });
}

/** @returns the middle value; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
}

export async function measureColdStart(target: Target, runtime: string): Promise<ColdStart> {
  const begin = performance.now();
  const process = await start(target, runtime);
  try {
    const { payload, headers } = await process.invoke(target.event);
    const firstResponseMs = performance.now() - begin;
    target.check(payload);
    return { moduleLoadMs: Number(headers['bench-module-load-ms']), firstResponseMs };
  } finally {
    await process.close();
  }
}

/** Invokes a warm process so many times, one after the other. */
export async function measureWarm(
  process: FunctionProcess,
  target: Target,
  invocations: number,
): Promise<WarmRun> {
  const walls: number[] = [];
  let first = 0;
  let last = 0;
  let maxRssKb = 0;
  for (let index = 0; index <= invocations; index += 1) {
    const { payload, headers } = await process.invoke(target.event);
    target.check(payload);
    last = Number(headers['bench-cpu-us']);
    maxRssKb = Number(headers['bench-max-rss-kb']);
    if (index === 0) first = last;
    else walls.push(Number(headers['bench-wall-ms']));
  }
  return { cpuUs: (last - first) / invocations, wallMs: median(walls), maxRssMb: maxRssKb / 1024 };
}
