import { type ClaimCondition, groupClaims } from '../../core/client/claim-condition.ts';
import { option, repeatable } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

export const clientIdArgument = ['client-id', 'id of the client, client_...'] as const;

/** Options that several commands about clients share. */
export const clientOptions = {
  name: () => option('--name <name>', 'name for people, up to 100 characters'),
  scope: () => repeatable('--scope <scope>', 'a scope of the catalogue; may be repeated'),
  audience: () =>
    repeatable(
      '--audience <uri>',
      'a value that aud may have, the first is the default; may be repeated',
    ),
  tokenLifetime: () => option('--token-lifetime <duration>', 'lifetime of a token, e.g. 1h'),
  requireClaim: (summary: string) =>
    repeatable(
      '--require-claim <name=value>',
      `${summary}; may be repeated, several values of one name are alternatives`,
    ),
  idempotencyKey: () =>
    option('--idempotency-key <key>', 'two creations with the same key create one; e.g. a UUID'),
};

/** `name=value` of each `--require-claim`; values of one name are alternatives. */
export function parseRequiredClaims(texts: readonly string[]): readonly ClaimCondition[] {
  const conditions = groupClaims(texts);
  if (conditions !== undefined) return conditions;
  throw new UsageError(
    `--require-claim: received ${JSON.stringify(texts)}; allowed: NAME=VALUE, e.g. repository_id=1296269`,
  );
}
