import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Below, a fault is over before requests have met it, and the heap is still growing into its size. */
const minSeconds = 60;

const usage = `Mixed traffic on the local run while things break and heal.

usage: npm run test:all -- soak [--seconds <n>] [--requests <n>] [--chart <file>]

  --seconds   at most so long, from ${minSeconds}; default 180
  --requests  at most so many; default 200000
  --chart     where to draw latency over time; default .local/soak.svg
`;

export interface SoakArguments {
  readonly seconds: number;
  readonly requests: number;
  /** Path of the chart. */
  readonly chart: string;
}

/** Ends the process with a message: the person at the terminal is the only caller. */
function refuse(message: string): never {
  process.stderr.write(`soak: ${message}\n`);
  process.exit(2);
}

function readCount(name: string, value: string, least: number): number {
  const count = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= least) return count;
  return refuse(`--${name}: received "${value}"; allowed: a whole number from ${least}`);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        seconds: { type: 'string', default: '180' },
        requests: { type: 'string', default: '200000' },
        chart: { type: 'string', default: resolve(import.meta.dirname, '../../.local/soak.svg') },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Reads the flags; ends the process if they are wrong or ask for help. */
export function readArguments(): SoakArguments {
  const { help, seconds, requests, chart } = readFlags();
  if (help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  return {
    seconds: readCount('seconds', seconds, minSeconds),
    requests: readCount('requests', requests, 1),
    chart: resolve(chart),
  };
}
