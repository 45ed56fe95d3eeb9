#!/usr/bin/env node
import { packageVersion } from '../../adapters/package-version.ts';
import { InputError } from '../../core/errors.ts';
import type { LogEntry } from './decision-log.ts';
import { readOptions, usage } from './options.ts';
import { type RunningForwardAuth, startForwardAuth } from './run.ts';

function write({ level, message, fields }: LogEntry): void {
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${JSON.stringify({ level: level.toUpperCase(), message, timestamp, ...fields })}\n`,
  );
}

/** Prints a mistake in the configuration: only its message, without a stack. */
function fail(error: unknown): never {
  const message = error instanceof InputError ? error.message : (error as Error).stack;
  process.stderr.write(`forward-auth: ${message?.replaceAll('\n', '\nforward-auth: ')}\n`);
  process.exit(1);
}

/** The second signal ends the process at once. */
function stopOnSignal(running: RunningForwardAuth): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      write({ level: 'info', message: 'stopping' });
      running.close().then(() => process.exit(0), fail);
    });
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(usage);
  } else if (options === 'version') {
    process.stdout.write(`${packageVersion()}\n`);
  } else {
    stopOnSignal(await startForwardAuth(options, write, fail));
  }
}

// When the reader of the log ends, the process continues.
process.stdout.on('error', () => undefined);
await main().catch(fail);
