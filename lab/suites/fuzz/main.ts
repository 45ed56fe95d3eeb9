import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { countFrom } from '../../support/parse-count.ts';
import { Random } from '../rotation/simulation/random.ts';
import { type FuzzTarget, runTimed } from './fuzz-target.ts';
import { mutate } from './mutate.ts';
import { targets } from './targets.ts';

/** Inputs between two looks at the coverage: a look costs as much as some dozen inputs. */
const batchSize = 100;

/** Findings after which there is enough to look at. */
const maxFindings = 10;

/** Inputs kept for one target: the newest reach furthest. */
const maxCorpus = 400;

const findings = resolve(import.meta.dirname, '../../../.local/fuzz-findings');

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
  findings = 0;

  constructor(name: string, target: FuzzTarget) {
    this.name = name;
    this.#target = target;
    this.#corpus = target.seeds.map((seed) => Buffer.from(seed));
  }

  get corpusSize(): number {
    return this.#corpus.length;
  }

  async batch(random: Random, coverage: Coverage): Promise<void> {
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
      const path = resolve(findings, `${this.name}-${Date.now()}-${this.findings}`);
      writeFileSync(path, input);
      this.findings += 1;
      process.stdout.write(`${this.name} breaks on the input in ${path}: ${String(error)}\n`);
    }
  }
}

const target = new Option('--target <name>', 'only this parser').choices(Object.keys(targets));
const {
  runs,
  seed,
  target: only,
} = new Command('npm run test:all -- fuzz')
  .description(
    'Throws inputs at all that parses bytes from outside, and keeps those that reach new code.',
  )
  .option('--runs <n>', 'inputs in total', countFrom(1), 1_000_000)
  .option('--seed <n>', 'makes the same inputs again', countFrom(1), 1 + (Date.now() % 1_000_000))
  .addOption(target)
  .parse()
  .opts<{ readonly runs: number; readonly seed: number; readonly target?: string }>();
const random = new Random(seed);
const coverage = new Coverage();
const all = Object.entries(targets)
  .filter(([name]) => only === undefined || name === only)
  .map(([name, chosen]) => new Fuzzed(name, chosen));
const start = performance.now();
let made = 0;
let told = start;
const broken = (): number => all.reduce((sum, { findings: found }) => sum + found, 0);
while (made < runs && broken() < maxFindings) {
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
  `figure: fuzzing: inputs ${made}, broken promises ${broken()}, blocks of code reached ${coverage.size}, seconds ${seconds.toFixed(0)}, seed ${seed}\n`,
);
if (broken() > 0) process.exitCode = 1;
