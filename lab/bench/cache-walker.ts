import { setPriority } from 'node:os';
import { createCacheWalk } from './cache-walk.ts';

// Uses the time that no other process wants, and walks through more memory than the caches hold.

const lowest = 19;

setPriority(lowest);
process.on('disconnect', () => process.exit());
const walk = createCacheWalk();

function goOn(): void {
  walk();
  setImmediate(goOn);
}

goOn();
