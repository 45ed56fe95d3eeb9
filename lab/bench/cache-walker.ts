import { setPriority } from 'node:os';

// Uses the time that no other process wants, and walks through more memory than the caches hold.

const lowest = 19;
const megabytes = 64;
/** Far enough apart that each step is another line of the cache. */
const stride = 4099;

setPriority(lowest);
process.on('disconnect', () => process.exit());
const numbers = new Float64Array((megabytes * 2 ** 20) / 8);
let index = 0;

function walk(): void {
  for (let step = 0; step < 1_000_000; step += 1) {
    index = (index + stride) % numbers.length;
    numbers[index] = (numbers[index] ?? 0) + 1;
  }
  setImmediate(walk);
}

walk();
