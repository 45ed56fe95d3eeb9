import {
  type FunctionProcess,
  startFunctionProcess,
} from '../emulator/runtime-api/function-process.ts';
import type { Bundle } from './build.ts';
import { awsRegion } from './scenario.ts';
import { median } from './statistics.ts';

export interface WarmRun {
  /** User and system time of the whole process, microseconds an invocation. */
  readonly cpuUs: number;
  /** From the call of the handler to its answer, milliseconds: median of the run. */
  readonly wallMs: number;
}

export interface Target {
  readonly bundle: Bundle;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: unknown;
  /** Refuses a response that a benchmark may not count. */
  readonly check: (payload: unknown) => void;
}

/** An event as if it came now: functions refuse to sign by a clock that is off. */
export function asOfNow(event: unknown): unknown {
  const { requestContext } = event as { readonly requestContext: object };
  return {
    ...(event as object),
    requestContext: { ...requestContext, requestTimeEpoch: Date.now() },
  };
}

/** Starts a bundle with nothing measured yet. @param launcher a command that starts Node. */
export function start(
  { bundle: { name, taskRoot }, environment }: Pick<Target, 'bundle' | 'environment'>,
  runtime: string,
  launcher: readonly string[] = [],
): Promise<FunctionProcess> {
  return startFunctionProcess({ name, taskRoot, environment, awsRegion, runtime, launcher });
}

/** What a new process answers to the event. */
export async function invokeOnce(target: Target, runtime: string): Promise<unknown> {
  const process = await start(target, runtime);
  const { payload } = await process.invoke(asOfNow(target.event));
  await process.close();
  return payload;
}

/** Refuses every response of a REST API's function but those of one status. */
export function expectStatus(expected: number): Target['check'] {
  return (payload) => {
    const { statusCode, body } = payload as { readonly statusCode: number; readonly body: string };
    if (statusCode !== expected) throw new Error(`the handler answered ${statusCode}: ${body}`);
  };
}

/** Runs a process before other work of the machine, which only root may. */
export const beforeOthers = process.getuid?.() === 0 ? ['nice', '-n', '-20'] : [];

/**
 * Keeps a process on one core, as a function has it: else Node prepares its root certificates on
 * another core while the module loads.
 */
export const onOneCore = [...beforeOthers, 'taskset', '-c', '0'];

/** @returns milliseconds from the process's start to the first response. */
export async function measureColdStart(
  target: Target,
  runtime: string,
  launcher: readonly string[],
): Promise<number> {
  const begin = performance.now();
  const process = await start(target, runtime, launcher);
  try {
    const { payload } = await process.invoke(asOfNow(target.event));
    const firstResponseMs = performance.now() - begin;
    target.check(payload);
    return firstResponseMs;
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
  for (let index = 0; index <= invocations; index += 1) {
    const { payload, headers } = await process.invoke(asOfNow(target.event));
    target.check(payload);
    last = Number(headers['bench-cpu-us']);
    if (index === 0) first = last;
    else walls.push(Number(headers['bench-wall-ms']));
  }
  return { cpuUs: (last - first) / invocations, wallMs: median(walls) };
}
