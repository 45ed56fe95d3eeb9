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

/** Takes these errors for an answer without a value, and throws any other. */
export function refusedBy(...refusals: readonly ErrorClass[]): (error: unknown) => undefined {
  return (error) => {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
  };
}

/** Runs a parser, which may refuse in its own words and must not fail in any other way. */
export function mayRefuse<T>(refusals: readonly ErrorClass[], parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    return refusedBy(...refusals)(error);
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
