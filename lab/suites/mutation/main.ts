import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { JsonTestResults } from 'vitest/node';
import { findArea, mutants } from './mutants.ts';

/**
 * Writes each mutant into the code and runs the tests of its area, which must fail. Ends with an
 * error if one passes, and if the tests fail without a mutant. Its argument is an area, such as
 * `management`; every one if left out.
 */

const root = resolve(import.meta.dirname, '../../..');
using reports = mkdtempDisposableSync(join(tmpdir(), 'mutation-'));
const reportFile = join(reports.path, 'report.json');

const [name] = new Command('npm run test:mutation --').argument('[area]').parse().args;
const area = findArea(name);
const chosen = mutants.filter((mutant) => area === undefined || mutant.area === area);

/** @returns names of the tests that failed; a file that cannot be loaded is an error. */
function runTests(mutant?: string): readonly string[] {
  // A run that writes no report must not be read as the run before it.
  rmSync(reportFile, { force: true });
  const config = '--config=lab/suites/mutation/vitest.config.ts';
  const result = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', config, '--reporter=json', `--outputFile=${reportFile}`],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: {
        ...process.env,
        ...(area !== undefined && { MUTATION_AREA: area }),
        ...(mutant !== undefined && { MUTANT: mutant }),
      },
    },
  );
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as JsonTestResults;
  // A file without results and without a message comes after the first failure: it was not run.
  const broken = report.testResults.find(
    (file) => file.assertionResults.length === 0 && file.message !== '',
  );
  if (broken !== undefined || report.numTotalTests === 0) {
    throw new Error(`the tests could not be run: ${broken?.message ?? result.stderr}`);
  }
  return report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
}

const failures = runTests();
if (failures.length > 0) throw new Error(`without a mutant: ${failures.join(', ')}`);

let survivors = 0;
for (const { name } of chosen) {
  const [killer] = runTests(name);
  if (killer === undefined) survivors += 1;
  console.info(`${killer === undefined ? 'SURVIVED' : 'killed  '}  ${name}`);
  if (killer !== undefined) console.info(`            by: ${killer}`);
}
console.info(`${chosen.length - survivors} of ${chosen.length} mutants killed`);
process.exitCode = survivors === 0 ? 0 : 1;
