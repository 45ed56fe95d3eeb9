import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { useCompileCache } from '../support/program-environment.ts';
import { commandOf, type Suite, suites, withOptions } from './suites.ts';

const list = Object.entries(suites)
  .map(([name, { shows, runs = 'CI' }]) => `  ${name.padEnd(14)} ${runs.padEnd(7)}  ${shows}`)
  .join('\n');

const command = new Command('npm run test:all --')
  .description('Runs suites, one for each two cores at once: those that are named, or those of CI.')
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
  const names = Object.keys(suites).filter((name) => suites[name]?.runs === undefined);
  const all = (args.length === 0 ? names : args).flatMap(known);
  if (args.length <= all.length) return all;
  const [name = '', ...options] = args;
  const [call] = known(name);
  if (call === undefined) {
    return command.error(`there is no suite "${name}"\n${list}`, { exitCode: 2 });
  }
  if (withOptions.has(name)) return [{ ...call, options }];
  const text = `received "${options.join(' ')}" after ${name}, which takes no options; allowed: other suites`;
  return command.error(text, { exitCode: 2 });
}

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** What failed in it, as its own output names it. */
  readonly failures: readonly string[];
}

/** The lines that name a failed test or an error: a log is often read by its end only. */
function failuresIn(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split('\n');
  const named = lines.filter((line) => /^\s*(FAIL |FAILED|\w*Error: )/.test(line));
  return [...new Set(named.map((line) => line.trim().slice(0, 300)))].slice(0, 20);
}

/** @param isAlone whether its output is shown while it runs, and not when it has ended. */
async function run({ name, suite, options }: Call, isAlone: boolean): Promise<Result> {
  const startedAt = performance.now();
  process.stdout.write(`\n== ${name}: ${suite.shows}\n`);
  const child = spawn(process.execPath, [...commandOf(name), ...options], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: [isAlone ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isAlone) process.stdout.write(text);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (!isAlone) process.stdout.write(`\n== ${name} printed:\n${output}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { name, passed: code === 0, seconds, failures: code === 0 ? [] : failuresIn(output) };
}

/** Suites at once: each has two cores, which several processes of it keep busy. */
const lanes = Math.max(1, Math.floor(availableParallelism() / 2));

async function runSideBySide(calls: readonly Call[]): Promise<readonly Result[]> {
  const rest = [...calls];
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    for (let call = rest.shift(); call !== undefined; call = rest.shift()) {
      results.push(await run(call, lanes === 1));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return results;
}

useCompileCache();
const calls = readArguments(command.args);
const alone = calls.filter(({ suite }) => calls.length === 1 || suite.writesDist);
const results: Result[] = [];
for (const call of alone) results.push(await run(call, true));
results.push(...(await runSideBySide(calls.filter((call) => !alone.includes(call)))));
process.stdout.write('\n');
for (const { name, passed, seconds, failures } of results) {
  for (const line of failures) process.stdout.write(`${name}: ${line}\n`);
  process.stdout.write(
    `${passed ? 'passed' : 'FAILED'}  ${name.padEnd(14)} ${String(seconds).padStart(4)} s\n`,
  );
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
