import { randomFillSync } from 'node:crypto';

/** Enough for 256 tokens. A draw costs up to 10 µs of a token's time, however many bytes it is for. */
const poolBytes = 4096;

/**
 * Random bytes for ids, drawn many at a time; each is given once. The first draw comes with the
 * first request, so that no snapshot of a process that is about to serve holds any.
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
