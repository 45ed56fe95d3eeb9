import { trustService } from '../../support/trust-service.ts';
import { examples } from './catalogue.ts';
import { checkExample } from './check-example.ts';
import { type World, withWorld } from './world.ts';

/*
 * Runs every example against one local run with TLS, as far as its runtime is on this machine:
 * `npm run test:all -- examples`, or `npm run test:all -- examples Java` for those with Java in their name.
 */

const wanted = examples.filter(({ name }) => name.includes(process.argv[2] ?? ''));
/** Lines of a failure: enough for what happened, without the rest of a stack of Java. */
const shownLines = 12;

const counts = { run: 0, SKIPPED: 0, FAILED: 0 };

function say(outcome: keyof typeof counts, text: string): void {
  counts[outcome] += 1;
  process.stdout.write(`${outcome.padEnd(8)}${text}\n`);
}

async function runAll(world: World): Promise<void> {
  for (const example of wanted) {
    const prepared = await example.prepare(world.trust);
    if ('missing' in prepared) {
      say('SKIPPED', `${example.name}: this machine lacks ${prepared.missing}`);
      continue;
    }
    try {
      await checkExample(example, prepared.command, world);
      say('run', example.name);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      say('FAILED', `${example.name}: ${message.split('\n').slice(0, shownLines).join('\n')}`);
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
