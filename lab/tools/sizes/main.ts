import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadedBy, root } from './loaded-files.ts';
import { findCalledFunctions } from './one-token.ts';
import { printPlaces } from './places.ts';

const { calls, places } = new Command('node lab/tools/sizes/main.ts')
  .description('Prints the lines of TypeScript, and what one token takes a reader through.')
  .option('--calls', 'also lists the functions that a token calls')
  .option(
    '--places [names...]',
    'prints instead how many files name each config key, field, refusal and operation; with names, the files',
  )
  .parse()
  .opts<{ readonly calls?: true; readonly places?: true | readonly string[] }>();

if (places !== undefined) {
  printPlaces(places === true ? [] : places);
  process.exit();
}

/** @returns how many lines the TypeScript of these folders has, without declarations of others. */
function countLines(...folders: readonly string[]): string {
  const listed = execFileSync('git', ['ls-files', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((name) => /(?<!\.d)\.ts$/.test(name));
  const texts = files.map((name) => readFileSync(join(root, name), 'utf8'));
  return (texts.join('').split('\n').length - 1).toLocaleString('en');
}

const shipped = 'contract core adapters lambda lib bin cli portal verifier packages'.split(' ');
console.log(
  `${countLines(...shipped)} lines ship; tests: ${countLines('test')}; lab: ${countLines('lab')}.`,
);
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
