import { join } from 'node:path';
import { type Command, runOrThrow } from '../../support/run-command.ts';
import { trustService } from '../../support/with-local-service.ts';
import { type Example, examples, otherBothIssuers, pythonApi } from './catalogue.ts';
import { checkExample } from './check-example.ts';
import { type World, withWorld } from './world.ts';

/*
 * Runs every example against one local run with TLS, as far as its runtime is on this machine:
 * `npm run test:all -- examples`, or `npm run test:all -- examples Java` for those with Java in their name.
 */

/** Lines of a failure: enough for what happened, without the rest of a stack of Java. */
const shownLines = 12;

const counts = { run: 0, SKIPPED: 0, FAILED: 0 };

function say(outcome: keyof typeof counts, text: string): void {
  counts[outcome] += 1;
  process.stdout.write(`${outcome.padEnd(8)}${text}\n`);
}

interface Checked {
  readonly name: string;
  readonly prepare: Example['prepare'];
  readonly check: (command: Command, world: World) => Promise<void>;
}

/** Runs a test of `npm test` with a runtime that `npm test` does without. */
async function runTest(file: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const cwd = join(import.meta.dirname, '../../..');
  const vitest = join(cwd, 'node_modules/.bin/vitest');
  await runOrThrow([vitest, 'run', `test/integration/${file}.test.ts`], { cwd, environment });
}

/** The sample test of the package `local`, with the API of FastAPI in place of Express. */
const localReadme: Checked = {
  name: 'test of packages/local/README.md: Python, FastAPI',
  prepare: pythonApi.bind(undefined, 'fastapi_api'),
  check: ([PYTHON]) => runTest('docs/start-local', { PYTHON }),
};

const bothIssuers = ([language, runtime, program]: (typeof otherBothIssuers)[number]): Checked => ({
  name: `tokens of Cognito and of this service: ${language}`,
  prepare: runtime.bind(undefined, program),
  check: () => runTest('examples/both-issuers', { BOTH_ISSUERS: language }),
});

function checkedIn(): readonly Checked[] {
  return [
    ...examples.map((example) => ({
      ...example,
      check: (command: Command, world: World) => checkExample(example, command, world),
    })),
    localReadme,
    ...otherBothIssuers.map(bothIssuers),
  ];
}

async function runAll(world: World): Promise<void> {
  const part = process.argv[2] ?? '';
  const wanted = checkedIn().filter(({ name }) => name.includes(part));
  if (wanted.length === 0) throw new Error(`no example has "${part}" in its name`);
  for (const { name, prepare, check } of wanted) {
    try {
      const prepared = await prepare(world.trust);
      if ('missing' in prepared) {
        say('SKIPPED', `${name}: this machine lacks ${prepared.missing}`);
        continue;
      }
      await check(prepared.command, world);
      say('run', name);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      say('FAILED', `${name}: ${message.split('\n').slice(0, shownLines).join('\n')}`);
    }
  }
}

await withWorld(async (world) => {
  trustService(world.service);
  await runAll(world);
});
process.stdout.write(
  `examples: ${counts.run} run, ${counts.SKIPPED} skipped, ${counts.FAILED} failed\n`,
);
if (counts.FAILED > 0 || counts.run === 0) process.exitCode = 1;
