import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { useCompileCache } from '../support/program-environment.ts';
import { commandOf, type Suite, suites } from './suites.ts';

const list = Object.entries(suites)
  .map(
    ([name, { shows, isOnDemand }]) => `  ${name.padEnd(11)} ${isOnDemand ? '  ' : 'CI'}  ${shows}`,
  )
  .join('\n');

const command = new Command('npm run test:all --')
  .description('Runs suites one after the other: those that are named, or those of CI.')
  .argument('[name...]', 'suites; or one suite, and then options of its own')
  .addHelpText('after', `\n${list}`)
  .passThroughOptions()
  .allowUnknownOption()
  .parse();

/** A suite to run, with options of its own. */
interface Call {
  readonly name: string;
  readonly suite: Suite;
  readonly options: readonly string[];
}

/** What one call runs: suites by name, or one suite with options that start at the first other word. */
function readArguments(args: readonly string[]): readonly Call[] {
  const known = (name: string): readonly Call[] => {
    const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
    return suite === undefined ? [] : [{ name, suite, options: [] }];
  };
  const names = Object.keys(suites).filter((name) => !suites[name]?.isOnDemand);
  const all = (args.length === 0 ? names : args).flatMap(known);
  if (args.length <= all.length) return all;
  const [name = '', ...options] = args;
  const [call] = known(name);
  if (call !== undefined) return [{ ...call, options }];
  return command.error(`there is no suite "${name}"\n${list}`, { exitCode: 2 });
}

function run({ name, options }: Call): boolean {
  const cwd = resolve(import.meta.dirname, '../..');
  const { status } = spawnSync(process.execPath, [...commandOf(name), ...options], {
    cwd,
    stdio: 'inherit',
  });
  return status === 0;
}

useCompileCache();
const results = readArguments(command.args).map((call) => {
  const { name, suite } = call;
  process.stdout.write(`\n== ${name}: ${suite.shows}\n`);
  const startedAt = performance.now();
  const passed = run(call);
  return { name, passed, seconds: Math.round((performance.now() - startedAt) / 1000) };
});
process.stdout.write('\n');
for (const { name, passed, seconds } of results) {
  process.stdout.write(
    `${passed ? 'passed' : 'FAILED'}  ${name.padEnd(11)} ${String(seconds).padStart(4)} s\n`,
  );
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
