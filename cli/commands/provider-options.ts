import { audienceSources } from '../../contract/management/inputs.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { secondsOrTyped } from '../../core/duration.ts';
import { describeClaimRisk } from '../../core/identity-provider/client-id-claim.ts';
import type { ProviderChoices } from '../../core/management/providers/provider-choices.ts';
import type { Cli } from '../cli.ts';
import { type OptionValues, offered, option, repeatable } from '../command-spec.ts';
import type { Field } from '../table.ts';

export const discoveryUrl = [
  'discovery-url',
  'https URL, usually ending in /.well-known/openid-configuration',
] as const;

export function providerOptions() {
  return [
    option(
      '--client-id-claim <name>',
      'claim that names the client; default: client_id, azp or sub, the first that a token has',
    ),
    offered(
      '--audience-from <source>',
      'claim that names the API in tokens without aud: scope for Amazon Cognito',
      audienceSources,
    ),
    option(
      '--allow-client-patterns',
      'ids of its clients may end with *, as for the branches of a CI system',
    ),
    repeatable(
      '--algorithm <alg>',
      'what keys without alg are for, of what the provider lists; may be repeated; default: all',
    ),
    option(
      '--leeway <duration>',
      'by how much its clock may differ at platform APIs, 10s to 60s; default: 10s',
    ),
  ] as const;
}

/** What an operator decides about a provider's tokens. */
export type ProviderOptions = OptionValues<ReturnType<typeof providerOptions>>;

/** Asks before it trusts a claim that users of the provider may be able to write. */
export async function confirmChoices(cli: Cli, options: ProviderOptions): Promise<ProviderChoices> {
  const { clientIdClaim, audienceFrom, allowClientPatterns, algorithm: algorithms } = options;
  const leeway = secondsOrTyped(options.leeway);
  const choices = { clientIdClaim, audienceFrom, allowClientPatterns, algorithms, leeway };
  const risk = describeClaimRisk(clientIdClaim);
  if (risk === undefined) return choices;
  await cli.confirm(`Warning: ${risk}. Trust it?`);
  return { ...choices, allowUserWritableClaim: true };
}

/** The keys of a provider, and the skipped ones with the reason. */
export function keyFields({
  keys,
  skipped,
}: OperationResult<'registerProvider'>['keySet']): readonly (Field | false)[] {
  const leftOut = skipped.map((key) => `${key.kid || 'without kid'}: ${key.reason}`);
  return [
    ['keys', keys.map((key) => `${key.kid} (${key.alg})`)],
    leftOut.length > 0 && ['keys left out', leftOut],
  ];
}
