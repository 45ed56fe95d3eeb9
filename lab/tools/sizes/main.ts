import { Command } from 'commander';
import { loadedBy } from './loaded-files.ts';
import { findCalledFunctions } from './one-token.ts';
import { printPlaces } from './places.ts';

const { calls, places } = new Command('node lab/tools/sizes/main.ts')
  .description('Prints what one token takes a reader through.')
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
