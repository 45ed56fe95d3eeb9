import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { emptyWorkFolder, workFolder } from './build.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { findShort, joinRounds } from './report/bands.ts';
import { formatTargets } from './report/tables.ts';
import { functionRows, pairRows, targetRows } from './report/targets.ts';
import { writeReport, writeSlow } from './report/write-report.ts';
import {
  measureAll,
  measureFunctions,
  measurePairs,
  measureReuse,
  measureSlow,
  type Results,
  type SlowResults,
} from './rounds.ts';
import { share } from './slow-machine.ts';

const values = new Command('npm run bench --')
  .description('Measures everything with a target, and writes docs/performance.md.')
  .option('--quick', 'checks in a minute that everything runs, and writes nothing', false)
  .option('--pairs', 'measures only handlers next to their floors, and writes nothing', false)
  .option(
    '--functions',
    'measures only starts and wall time again, and keeps the other figures',
    false,
  )
  .option('--reuse', 'measures only token reuse again, and keeps the other figures', false)
  .option('--report', 'measures nothing, and writes the tables of the last runs again', false)
  .option('--slow', 'measures only the functions, on a slow machine', false)
  .parse()
  .opts<Readonly<Record<'quick' | 'pairs' | 'functions' | 'reuse' | 'report' | 'slow', boolean>>>();
const plan = values.quick ? quickPlan : fullPlan;

const kept = join(import.meta.dirname, 'results');
const folder = values.quick ? workFolder : kept;

function read(file: 'full' | 'slow'): unknown {
  const path = join(kept, `${file}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

const readFull = () => read('full') as Results | undefined;
const readSlow = () => read('slow') as SlowResults | undefined;

function write(file: 'full' | 'slow', results: Results | SlowResults): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${file}.json`);
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(`results: ${path}\n`);
}

async function measureAgain(): Promise<Results> {
  const keeps = values.functions || values.reuse || values.report;
  const before = keeps ? readFull() : undefined;
  if (before === undefined) return measureAll(plan);
  if (values.report) return before;
  return values.functions ? measureFunctions(plan, before) : measureReuse(before);
}

emptyWorkFolder();
if (values.pairs) {
  const rounds = await measurePairs(plan);
  process.stdout.write(`\n${formatTargets(joinRounds(rounds.map(pairRows)))}\n`);
} else if (values.slow) {
  const slow = await measureSlow(plan);
  process.stdout.write(
    `\n${formatTargets(joinRounds(slow.rounds.map((round) => functionRows(round, share))))}\n\n`,
  );
  write('slow', slow);
  if (!values.quick) writeSlow(slow);
} else {
  const full = await measureAgain();
  const rows = joinRounds(full.rounds.map(targetRows));
  process.stdout.write(`\n${formatTargets(rows)}\n\n`);
  write('full', full);
  const slow = readSlow();
  if (!values.quick) writeReport(full);
  if (!values.quick && slow !== undefined) writeSlow(slow);
  // The figures of a quick run are noise.
  const short = values.quick ? [] : findShort(rows);
  for (const { figure, against, band, bound } of short) {
    process.stderr.write(
      `short in every round: ${figure}, against ${against}: at least ${band.lowest.toFixed(2)}, to reach ${bound}\n`,
    );
  }
  if (short.length > 0) process.exitCode = 1;
}
