import { cpuCost, cpuTime } from '../../support/cpu-cost.ts';

/** Something that parses what comes from outside. */
export interface FuzzTarget {
  /** Inputs that get far, from which others are made. */
  readonly seeds: readonly string[];
  /** Takes any bytes. Throws, or rejects, if a promise is broken. */
  readonly run: (data: Buffer) => unknown;
}

/** A promise that an input breaks. */
export class BrokenPromiseError extends Error {
  override readonly name = 'BrokenPromiseError';
}

export function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPromiseError(what);
}

type ErrorClass = abstract new (...args: never[]) => Error;

function isOneOf(error: unknown, refusals: readonly ErrorClass[]): boolean {
  return refusals.some((refusal) => error instanceof refusal);
}

/** Runs a parser, which may refuse in its own words and must not fail in any other way. */
export function mayRefuse<T>(refusals: readonly ErrorClass[], parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (isOneOf(error, refusals)) return undefined;
    throw error;
  }
}

export async function mayReject<T>(
  refusals: readonly ErrorClass[],
  act: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isOneOf(error, refusals)) return undefined;
    throw error;
  }
}

/** Units of about a millisecond for any input: a hundred times what the slowest seed takes. */
const maxCost = 50;

/** Microseconds. An input that takes less is cheap on any machine, and is not compared. */
const cheap = 10_000;

/** Runs a target, and refuses an input that costs too much each time. */
export async function runTimed(target: FuzzTarget, data: Buffer): Promise<void> {
  const run = () => target.run(data);
  if ((await cpuTime(run)) > cheap) {
    const cost = await cpuCost(run);
    expectThat(cost <= maxCost, `an input costs ${cost.toFixed(0)} units, each of several times`);
  }
  // No one's input changes what every object has.
  expectThat(Object.keys(Object.prototype).length === 0, 'Object.prototype has been polluted');
}
