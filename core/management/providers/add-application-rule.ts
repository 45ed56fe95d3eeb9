import { maxClaimConditions } from '../../../contract/bounds.ts';
import type { ClientProvider } from '../../client/client.ts';
import { hasWildcard } from '../../client/provider-client-id.ts';
import { InputError } from '../../errors.ts';
import {
  findApplicationRule,
  hasApplicationRule,
} from '../../identity-provider/application-rule.ts';
import { refuseInput } from '../read-input.ts';

/**
 * Adds the claims that only tokens of the application have, so that a token that the provider
 * issues for a person through it is refused. Unchanged if the provider's platform is not known, if
 * a required claim is such a rule already, and for a pattern.
 *
 * @throws {InputError} if the platform has a rule whose value does not follow from the client's id.
 */
export function addApplicationRule(
  client: ClientProvider,
  clientIdClaim: string | undefined,
): ClientProvider {
  const { issuer, externalClientId, conditions = [] } = client;
  const rule = findApplicationRule({ issuer, clientIdClaim });
  const isSettled = hasApplicationRule({ issuer, clientIdClaim }, conditions);
  if (rule === undefined || isSettled || hasWildcard(externalClientId)) return client;
  const derived = rule.derive(externalClientId);
  if (derived === undefined) {
    throw new InputError(
      `received none of ${rule.claims.join(', ')}; allowed: ${rule.mark}, as only tokens of the application itself have it and ${rule.platform} also issues tokens for people through it. Or choose to allow user tokens (--allow-user-tokens)`,
      { field: 'requiredClaims', label: 'required_claims' },
    );
  }
  const named = new Set(conditions.map(({ claim }) => claim));
  const added = derived.filter(({ claim }) => claim !== clientIdClaim && !named.has(claim));
  const all = [...conditions, ...added];
  if (all.length > maxClaimConditions) {
    refuseInput('requiredClaims', all.length, `at most ${maxClaimConditions} claims`);
  }
  return { ...client, conditions: all };
}
