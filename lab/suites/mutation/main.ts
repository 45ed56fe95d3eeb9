import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { JsonTestResults } from 'vitest/node';
import { deployed, findArea, type Mutant, mutants } from './mutants.ts';

/**
 * Writes each mutant into the code and runs the tests of its area, which must fail. Ends with an
 * error if one passes, and if the tests fail without a mutant. Its argument is an area, such as
 * `management`; every one but those of deployed suites if left out.
 */

const root = resolve(import.meta.dirname, '../../..');
using reports = mkdtempDisposableSync(join(tmpdir(), 'mutation-'));
const reportFile = join(reports.path, 'report.json');

const area = findArea(process.argv[2]);
const suite = area === undefined ? undefined : suiteOf(area);
const chosen = mutants.filter((mutant) =>
  area === undefined ? suiteOf(mutant.area) === undefined : mutant.area === area,
);

/** The deployed suite of an area. */
function suiteOf(name: Mutant['area']): readonly string[] | undefined {
  return (deployed as Partial<Record<Mutant['area'], readonly string[]>>)[name];
}

function assertEditsApply({ name, edits }: Mutant): void {
  for (const { file, find } of edits) {
    const found = readFileSync(join(root, file), 'utf8').split(find).length - 1;
    if (found === 1) continue;
    throw new Error(`mutant "${name}": "${find}" stands ${found} times in ${file}; allowed: once`);
  }
}

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

/** Fills a folder with the code as it is, and what npm and pip have installed. */
function copyCode(tree: string): void {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
}

/**
 * Runs a deployed suite with the code of a mutant. Without one it is `npm run test:all`.
 *
 * @returns what the suite printed, if it noticed the mistake and not something else.
 */
function runSuite(command: readonly string[], { edits, says = '' }: Mutant): readonly string[] {
  using tree = mkdtempDisposableSync(join(tmpdir(), 'mutant-'));
  copyCode(tree.path);
  for (const { file, find, replace } of edits) {
    const path = join(tree.path, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(find, () => replace),
    );
  }
  const options = { cwd: tree.path, encoding: 'utf8' } as const;
  const built = spawnSync(process.execPath, ['lab/build/main.ts'], options);
  if (built.status !== 0) throw new Error(`the mutant cannot be built: ${built.stderr}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
  const [noticed] = new RegExp(`^.*(?:${says}).*$`, 'm').exec(stdout + stderr) ?? [];
  if (status === 0) return [];
  if (noticed === undefined) throw new Error(`another failure: ${stdout}${stderr}`);
  return [noticed.trim()];
}

chosen.forEach(assertEditsApply);
const failures = suite === undefined ? runTests() : [];
if (failures.length > 0) throw new Error(`without a mutant: ${failures.join(', ')}`);

let survivors = 0;
for (const mutant of chosen) {
  const { name } = mutant;
  const [killer] = suite === undefined ? runTests(name) : runSuite(suite, mutant);
  if (killer === undefined) survivors += 1;
  console.info(`${killer === undefined ? 'SURVIVED' : 'killed  '}  ${name}`);
  if (killer !== undefined) console.info(`            by: ${killer}`);
}
console.info(`${chosen.length - survivors} of ${chosen.length} mutants killed`);
process.exitCode = survivors === 0 ? 0 : 1;
