const megabytes = 64;
/** Far enough apart that each step is another line of the cache. */
const stride = 4099;

/** @returns what walks through more memory than the caches of a processor hold. */
export function createCacheWalk(): () => void {
  const numbers = new Float64Array((megabytes * 2 ** 20) / 8);
  let index = 0;
  return () => {
    for (let step = 0; step < 1_000_000; step += 1) {
      index = (index + stride) % numbers.length;
      numbers[index] = (numbers[index] ?? 0) + 1;
    }
  };
}
