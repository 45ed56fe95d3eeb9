import { randomFillSync } from 'node:crypto';

/** Enough for 256 tokens. A call takes up to 10 µs for any number of bytes. */
const poolBytes = 4096;

/**
 * Random bytes for ids, generated many at a time; each is used once. They are first generated at
 * the first request, so a snapshot of the process never contains any.
 */
export function createRandomPool(): (length: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (length) => {
    if (used + length > pool.length) {
      pool = randomFillSync(Buffer.alloc(Math.max(poolBytes, length)));
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
