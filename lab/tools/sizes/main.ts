import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { median } from '../../bench/statistics.ts';
import { loadedBy, root } from './loaded-files.ts';
import { findCalledFunctions } from './one-token.ts';

const { calls } = new Command('node lab/tools/sizes/main.ts')
  .description(
    'Prints how large the code is: files of each folder, and what one token takes a reader through.',
  )
  .option('--calls', 'also lists the functions that a token calls')
  .parse()
  .opts<{ readonly calls?: true }>();

function describeFolder(folder: string): Readonly<Record<string, number>> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['**/dist/**'] });
  const lines = files.map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1);
  return {
    files: files.length,
    lines: lines.reduce((sum, each) => sum + each, 0),
    'median file': median(lines),
    'largest file': Math.max(...lines),
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
