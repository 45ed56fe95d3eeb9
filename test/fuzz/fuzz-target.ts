/** Something that parses what comes from outside. */
export interface FuzzTarget {
  /** Inputs that get far, from which others are made. */
  readonly seeds: readonly string[];
  /** Takes any bytes. Throws, or rejects, where a promise is broken. */
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

/** Milliseconds for any input: a hundred times what the slowest seed takes. */
const timeLimit = 50;

/** Tries again where an input was slow: the second time the machine has no excuse. */
const attempts = 4;

/** Runs a target, and refuses an input that takes too long each time. */
export async function runTimed(target: FuzzTarget, data: Buffer): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const start = performance.now();
    await target.run(data);
    shortest = Math.min(shortest, performance.now() - start);
    if (shortest <= timeLimit) break;
  }
  expectThat(
    shortest <= timeLimit,
    `an input took ${shortest.toFixed(0)} ms, each of several times`,
  );
  // Nobody's input changes what every object has.
  expectThat(Object.keys(Object.prototype).length === 0, 'Object.prototype has been polluted');
}
