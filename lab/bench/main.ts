import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { emptyWorkFolder, workFolder } from './build.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { findShort, joinRounds } from './report/bands.ts';
import { formatTargets } from './report/tables.ts';
import { pairRows, targetRows } from './report/targets.ts';
import { writeReport } from './report/write-report.ts';
import { measureAll, measurePairs, type Results } from './rounds.ts';
import { type PairName, pairNames } from './sections/pairs.ts';

const values = new Command('npm run bench --')
  .description('Measures everything with a target, and writes docs/performance.md.')
  .option('--quick', 'checks in a minute that everything runs, and writes nothing', false)
  .addOption(
    new Option(
      '--pairs [names...]',
      'measures only these handlers next to their floors, or all, and writes nothing',
    ).choices(pairNames),
  )
  .option('--report', 'measures nothing, and writes the tables of the last runs again', false)
  .parse()
  .opts<
    Readonly<Record<'quick' | 'report', boolean> & { readonly pairs?: true | readonly PairName[] }>
  >();
const plan = values.quick ? quickPlan : fullPlan;

const kept = join(import.meta.dirname, 'results');
const folder = values.quick ? workFolder : kept;

function readFull(): Results | undefined {
  const path = join(kept, 'full.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : undefined;
}

function write(results: Results): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'full.json');
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(`results: ${path}\n`);
}

async function measureAgain(): Promise<Results> {
  const before = values.report ? readFull() : undefined;
  return before ?? measureAll(plan);
}

emptyWorkFolder();
if (values.pairs !== undefined) {
  const names = values.pairs === true ? undefined : values.pairs;
  const rounds = await measurePairs(plan, names);
  process.stdout.write(`\n${formatTargets(joinRounds(rounds.map(pairRows)))}\n`);
} else {
  const full = await measureAgain();
  const rows = joinRounds(full.rounds.map(targetRows));
  process.stdout.write(`\n${formatTargets(rows)}\n\n`);
  write(full);
  if (!values.quick) writeReport(full);
  // The figures of a quick run are noise.
  const short = values.quick ? [] : findShort(rows);
  for (const { figure, against, band, bound } of short) {
    process.stderr.write(
      `short in every round: ${figure}, against ${against}: at least ${band.lowest.toFixed(2)}, to reach ${bound}\n`,
    );
  }
  if (short.length > 0) process.exitCode = 1;
}
