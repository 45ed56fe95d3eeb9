import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../../core/errors.ts';
import { buildTimeline, type TimelineEntry } from '../../core/key-rotation/timeline.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, option } from '../command-spec.ts';
import type { SigningKeys } from '../open-signing-keys.ts';
import { findEntry, timelineColumns, viewEntry } from '../signing-key-view.ts';
import { UsageError } from '../usage-error.ts';
import { history, plan } from './signing-key-plan.ts';
import { describeReport, rotate } from './signing-key-rotate.ts';

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

const list = command({
  name: 'list',
  summary:
    'Show which key signs in each region, what happens next and the safety margin in seconds',
  options: [option('--watch', 'refresh every second until Ctrl-C')],
  examples: ['signing-key list', 'signing-key list --watch --local', 'signing-key list --json'],
  run: async (cli, _, options) => {
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
});

/** What an operator must know before confirming. */
function describeDamage({ key, signs, liveTokens }: TimelineEntry): string {
  const role = signs ? `signs in ${key.regionId}` : `is "${key.state}" in ${key.regionId}`;
  const damage =
    liveTokens === 0
      ? 'No unexpired token is signed by it.'
      : `Tokens that it signed stop verifying, up to ${liveTokens} s before they expire.`;
  return `${key.kid} ${role}. ${damage} Withdraw it?`;
}

const withdraw = command({
  name: 'withdraw',
  summary: 'Remove a key from the JWKS and disable it in KMS',
  arguments: [['kid', 'id of the key, as the list shows it']],
  options: [
    option('--emergency', 'although it is in use: the key is compromised, and its tokens are lost'),
    option(
      '--activate-early',
      'let the next key sign although verifiers with an old JWKS do not know it yet',
    ),
  ],
  examples: [
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency',
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency --activate-early',
  ],
  run: async (cli, [kid], options) => {
    const signingKeys = await cli.signingKeys();
    const { signingKeyPolicy } = cli.deployment().config;
    const { keys } = await signingKeys.read();
    const entry = findEntry(keys, kid, signingKeyPolicy, signingKeys.now());
    if (entry === undefined) {
      throw new InputError(`kid: received "${kid}"; allowed: a key that signing-key list shows`);
    }
    const emergency = options.emergency === true;
    if (emergency) await cli.confirm(describeDamage(entry));
    const report = await signingKeys.ask(entry.key.regionId, {
      action: 'withdraw',
      kid,
      emergency,
      activate_early: options.activateEarly === true,
    });
    cli.output.print({
      json: { kid, lost_token_seconds: entry.liveTokens, ...report },
      quiet: [kid],
      text: describeReport(report),
    });
  },
});

export const signingKeyCommands: CommandGroup = {
  name: 'signing-key',
  summary: 'Watch signing keys, rotate them, and withdraw a compromised one',
  commands: [list, plan, history, rotate, withdraw],
};
