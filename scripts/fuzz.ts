import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../local/faults/seeded-random.ts';
import { type FuzzTarget, runTimed } from '../test/fuzz/fuzz-target.ts';
import { mutate } from '../test/fuzz/mutate.ts';
import { targets } from '../test/fuzz/targets.ts';

const usage = `Throws inputs at everything that parses bytes from outside, and keeps those that reach new code.

usage: npm run fuzz [-- --runs <n>] [--target <name>] [--seed <n>]

targets: ${Object.keys(targets).join(', ')}
`;

/** Inputs between two looks at the coverage: a look costs as much as some dozen inputs. */
const batchSize = 100;

/** Inputs kept for one target: the newest reach furthest. */
const maxCorpus = 400;

const findings = resolve(import.meta.dirname, '../.local/fuzz-findings');

/** Which blocks of the service's own code have run, as V8 counts them. */
class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  get size(): number {
    return this.#seen.size;
  }

  /** @returns how many blocks ran since the last time that had never run before. */
  take(): number {
    let fresh = 0;
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result) {
        if (!/\/(?:core|contract|lambda)\//.test(url) || url.includes('node_modules')) continue;
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            const block = `${url}:${startOffset}-${endOffset}`;
            if (count === 0 || this.#seen.has(block)) continue;
            this.#seen.add(block);
            fresh += 1;
          }
        }
      }
    });
    return fresh;
  }
}

class Fuzzed {
  readonly name: string;
  readonly #target: FuzzTarget;
  readonly #corpus: Buffer[];
  runs = 0;

  constructor(name: string, target: FuzzTarget) {
    this.name = name;
    this.#target = target;
    this.#corpus = target.seeds.map((seed) => Buffer.from(seed));
  }

  get corpusSize(): number {
    return this.#corpus.length;
  }

  async batch(random: SeededRandom, coverage: Coverage): Promise<void> {
    const inputs = Array.from({ length: batchSize }, () => mutate(this.#corpus, random));
    for (const input of inputs) await this.#run(input);
    // Which of them it was is not worth finding out: all are kept, and pushed out again.
    if (coverage.take() > 0) this.#corpus.push(...inputs.slice(-batchSize));
    this.#corpus.splice(this.#target.seeds.length, Math.max(0, this.#corpus.length - maxCorpus));
  }

  async #run(input: Buffer): Promise<void> {
    this.runs += 1;
    try {
      await runTimed(this.#target, input);
    } catch (error) {
      mkdirSync(findings, { recursive: true });
      const path = resolve(findings, `${this.name}-${Date.now()}`);
      writeFileSync(path, input);
      throw new Error(`${this.name} breaks on the input in ${path}`, { cause: error });
    }
  }
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      target: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = Object.entries(targets).filter(
    ([name]) => values.target === undefined || values.target === name,
  );
  if (values.help || chosen.length === 0) {
    process.stdout.write(usage);
    process.exit(values.help ? 0 : 2);
  }
  return { runs: Number(values.runs), seed: Number(values.seed), chosen };
}

async function main(): Promise<void> {
  const { runs, seed, chosen } = readArguments();
  const random = new SeededRandom(seed);
  const coverage = new Coverage();
  const all = chosen.map(([name, target]) => new Fuzzed(name, target));
  const start = performance.now();
  let made = 0;
  let told = start;
  while (made < runs) {
    for (const one of all) {
      await one.batch(random, coverage);
      made += batchSize;
    }
    if (performance.now() - told < 10_000) continue;
    told = performance.now();
    process.stdout.write(`${made} inputs, ${coverage.size} blocks of code reached\n`);
  }
  const seconds = (performance.now() - start) / 1000;
  for (const { name, runs: count, corpusSize } of all) {
    process.stdout.write(`  ${name}: ${count} inputs, ${corpusSize} kept\n`);
  }
  process.stdout.write(
    `figure: fuzzing: inputs ${made}, broken promises 0, blocks of code reached ${coverage.size}, seconds ${seconds.toFixed(0)}, seed ${seed}\n`,
  );
}

await main();
