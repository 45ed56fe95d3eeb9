import { Option } from 'commander';
import { InputError } from '../../core/errors.ts';
import type { TimelineEntry } from '../../core/key-rotation/timeline.ts';
import type { CommandSpec } from '../command-spec.ts';
import { findEntry } from '../signing-key-view.ts';
import { describeReport } from './signing-key-rotate.ts';

interface WithdrawOptions {
  readonly emergency?: boolean;
  readonly activateEarly?: boolean;
}

/** What an operator must know before confirming. */
function describeDamage({ key, signs, liveTokens }: TimelineEntry): string {
  const role = signs ? `signs in ${key.regionId}` : `is "${key.state}" in ${key.regionId}`;
  const damage =
    liveTokens === 0
      ? 'No unexpired token is signed by it.'
      : `Tokens that it signed stop verifying, up to ${liveTokens} s before they expire.`;
  return `${key.kid} ${role}. ${damage} Withdraw it?`;
}

export const withdraw: CommandSpec = {
  name: 'withdraw',
  summary: 'Remove a key from the JWKS and disable it in KMS',
  arguments: [['kid', 'id of the key, as the list shows it']],
  options: [
    new Option(
      '--emergency',
      'although it is in use: the key is compromised, and its tokens are lost',
    ),
    new Option(
      '--activate-early',
      'let the next key sign although verifiers with an old JWKS do not know it yet',
    ),
  ],
  examples: [
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency',
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency --activate-early',
  ],
  run: async (cli, [kid = ''], options: WithdrawOptions) => {
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
};
