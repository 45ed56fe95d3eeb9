import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Suite, suites } from './suites.ts';

const usage = `usage: npm run test:all                       the suites of CI, one after the other
       npm run test:all -- NAME [NAME…]       these suites
       npm run test:all -- NAME OPTION…       one suite, with options of its own

${Object.entries(suites)
  .map(([name, { shows, isInCi }]) => `  ${name.padEnd(11)} ${isInCi ? 'CI' : '  '}  ${shows}`)
  .join('\n')}
`;

/** What one call runs: suites by name, or one suite with options that start at the first other word. */
function readArguments(args: readonly string[]): readonly (readonly [string, Suite])[] {
  if (args.length === 0) return Object.entries(suites).filter(([, suite]) => suite.isInCi);
  const [name = '', ...options] = args;
  if (args.every((arg) => Object.hasOwn(suites, arg))) {
    return args.flatMap((arg) => Object.entries(suites).filter(([known]) => known === arg));
  }
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (suite === undefined) {
    process.stderr.write(`there is no suite "${name}"\n${usage}`);
    process.exit(2);
  }
  return [[name, { ...suite, command: [...suite.command, ...options] }]];
}

function run({ command: [program = '', ...args] }: Suite): boolean {
  const cwd = resolve(import.meta.dirname, '../..');
  const path = program === 'node' ? process.execPath : program;
  return spawnSync(path, args, { cwd, stdio: 'inherit' }).status === 0;
}

if (process.argv.includes('--help') && process.argv.length === 3) {
  process.stdout.write(usage);
  process.exit(0);
}
const results = readArguments(process.argv.slice(2)).map(([name, suite]) => {
  process.stdout.write(`\n== ${name}: ${suite.shows}\n`);
  const startedAt = performance.now();
  const passed = run(suite);
  return { name, passed, seconds: Math.round((performance.now() - startedAt) / 1000) };
});
process.stdout.write('\n');
for (const { name, passed, seconds } of results) {
  process.stdout.write(
    `${passed ? 'passed' : 'FAILED'}  ${name.padEnd(11)} ${String(seconds).padStart(4)} s\n`,
  );
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
