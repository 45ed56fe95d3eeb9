/** Runs from which the cheapest counts: compilation and other threads only add to a cost. */
const rounds = 5;

/** Microseconds of CPU time that this process spends. Other load on the machine does not count. */
export async function cpuTime(act: () => unknown): Promise<number> {
  // The usage of one thread is only counted in steps of milliseconds.
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Microseconds of CPU time that something takes when nothing adds to it. */
export async function cheapestCpuTime(act: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await cpuTime(act));
  return Math.min(...times);
}

/** How often something may take as much as its limit: compilation and other work only add. */
const tries = 20;

/**
 * @param limit microseconds.
 * @returns microseconds of CPU time of the first run below the limit; if there is none, of the cheapest.
 */
export async function cpuTimeBelow(limit: number, act: () => unknown): Promise<number> {
  let cheapest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries && cheapest >= limit; count += 1) {
    cheapest = Math.min(cheapest, await cpuTime(act));
  }
  return cheapest;
}

/** Where the work below leaves its result, so that the compiler cannot leave the work out. */
const results = new Int32Array(1);

/** About a millisecond on a machine of 2026. */
export function workUnit(): void {
  let hash = 0x811c9dc5;
  for (let count = 0; count < 600_000; count += 1) {
    // FNV-1a, in which each step needs the one before.
    hash = Math.imul(hash ^ (count & 255), 0x01000193);
  }
  results[0] = hash;
}

/**
 * What something costs, in units of a fixed piece of work of about a millisecond that is measured
 * next to it. A slow machine is slow at both.
 */
export async function cpuCost(act: () => unknown): Promise<number> {
  const unit = await cheapestCpuTime(workUnit);
  return (await cheapestCpuTime(act)) / Math.max(unit, 1);
}
