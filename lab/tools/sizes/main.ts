import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { median } from '../../bench/statistics.ts';
import { loadedBy, root } from './loaded-files.ts';
import { findCalledFunctions } from './one-token.ts';

const { calls } = new Command('node lab/tools/sizes/main.ts')
  .description(
    'Prints how large the code is: files and functions of each folder, and what one token takes a reader through.',
  )
  .option('--calls', 'also lists the functions that a token calls')
  .parse()
  .opts<{ readonly calls?: true }>();

const linter = join(root, 'node_modules/.bin/oxlint');
if (!existsSync(linter)) {
  process.stderr.write(
    'sizes: the tools of the tests are not installed; run npm run setup first\n',
  );
  process.exit(1);
}
const rules = {
  'max-lines-per-function': ['error', { max: 0, skipBlankLines: true, skipComments: true }],
};

/** Lines of every function of a folder, without blank ones and comments, as the linter counts. */
function functionLines(folder: string): readonly number[] {
  using work = mkdtempDisposableSync(join(tmpdir(), 'sizes-'));
  const config = join(work.path, 'oxlint.json');
  writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules }));
  // It exits with 1, as every function is too long.
  const { stdout } = spawnSync(linter, ['-c', config, '--format', 'json', folder], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const { diagnostics } = JSON.parse(stdout) as {
    readonly diagnostics: readonly { readonly message: string }[];
  };
  return diagnostics.map(({ message }) => Number(/\((\d+)\)/.exec(message)?.[1]));
}

function describeFolder(folder: string): Readonly<Record<string, number>> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['**/dist/**'] });
  const lines = files.map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1);
  const functions = functionLines(folder);
  return {
    files: files.length,
    lines: lines.reduce((sum, each) => sum + each, 0),
    'median file': median(lines),
    'largest file': Math.max(...lines),
    functions: functions.length,
    'median function': median(functions),
    'largest function': Math.max(...functions),
  };
}

const folders = [
  ...'contract core adapters lambda lib bin cli portal verifier'.split(' '),
  ...'create emulator local ministack suites bench support build tools'
    .split(' ')
    .map((name) => `lab/${name}`),
  'test',
];
console.table(Object.fromEntries(folders.map((folder) => [folder, describeFolder(folder)])));

const loaded = [...loadedBy('token')].filter((name) => name.endsWith('.ts'));
const called = await findCalledFunctions();
if (calls) {
  for (const [file, names] of called) console.log(`${file}: ${names.join(', ')}`);
}
const functions = [...called.values()].flat().length;
console.log(`lambda/token/handler.ts loads ${loaded.length} files of the project.`);
console.log(`One token calls ${functions} functions in ${called.size} files.`);
// Connections to the stubs stay open.
process.exit();
