import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { buildTimeline } from '../../core/key-rotation/timeline.ts';
import type { Cli } from '../cli.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { SigningKeys } from '../open-signing-keys.ts';
import { timelineColumns, viewEntry } from '../signing-key-view.ts';
import { UsageError } from '../usage-error.ts';

interface ListOptions {
  readonly watch?: boolean;
}

/** Milliseconds between two reads. Nothing changes more often than every few seconds. */
const watchInterval = 1000;

async function print(cli: Cli, signingKeys: SigningKeys): Promise<void> {
  const { signingKeyPolicy } = cli.deployment().config;
  const now = signingKeys.now();
  const { keys } = await signingKeys.read();
  cli.output.printList(buildTimeline(keys, signingKeyPolicy, now), {
    view: viewEntry,
    id: ({ key }) => key.kid,
    columns: timelineColumns(now),
    none: 'There are no signing keys; a deployment creates the first one.',
  });
}

export const list: CommandSpec = {
  name: 'list',
  summary:
    'Show which key signs in each region, what happens next and the safety margin in seconds',
  options: [new Option('--watch', 'refresh every second until Ctrl-C')],
  examples: ['signing-key list', 'signing-key list --watch --local', 'signing-key list --json'],
  run: async (cli, _, options: ListOptions) => {
    const signingKeys = await cli.signingKeys();
    if (options.watch !== true) return print(cli, signingKeys);
    if (cli.options.json === true || cli.options.quiet === true) {
      throw new UsageError('--watch: shows a table; allowed: without --json and --quiet');
    }
    for (;;) {
      cli.output.clear();
      await print(cli, signingKeys);
      await sleep(watchInterval);
    }
  },
};
