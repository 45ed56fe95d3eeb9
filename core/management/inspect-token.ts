import type { OperationResult } from '../../contract/management/operations.ts';
import { patternsOf } from '../client/provider-client-id.ts';
import { assignedClaims, readNamedClient } from '../identity-provider/client-id-claim.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import type { ProviderKeySet } from '../identity-provider/key-lint.ts';
import { BearerRefusal, refuse } from '../verifier/bearer-refusal.ts';
import { type KeyFinder, toVerificationKey } from '../verifier/jwks-cache.ts';
import { verifyProviderClaims } from '../verifier/provider-token.ts';
import { type ReceivedToken, readToken } from '../verifier/received-token.ts';
import { describeRule } from '../verifier/refusal-words.ts';
import type { RequestFinding } from './explain-request.ts';

/** What would be decided of a token if its provider were registered. It never holds the token. */
type TokenInspection = OperationResult<'inspectProvider'>['tokens'][number];

function otherClaims(received: ReceivedToken, chosen: string): Readonly<Record<string, string>> {
  const found = [...assignedClaims]
    .filter((name) => name !== chosen && Object.hasOwn(received.payload, name))
    .map((name) => [name, received.payload[name]] as const)
    .filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(found);
}

function checkIssuer(received: unknown, issuer: string): void {
  if (received === issuer) return;
  throw refuse('issuer_unknown', () => ({ name: 'iss', received, expected: issuer }));
}

/** Each new client refuses tokens that may be older than itself, see `createClient`. */
function checkIssuedAt(received: number | undefined): void {
  if (received !== undefined) return;
  const expected = 'the time of its issue, without which every new client refuses it';
  throw refuse('token_revoked', () => ({ name: 'iat', received, expected }));
}

/**
 * Decides about a token as the verifier does, but for the client, which need not exist yet.
 *
 * @param provider as it would be registered.
 * @param now seconds since the epoch.
 */
export async function inspectToken(
  token: string,
  provider: IdentityProvider,
  keySet: ProviderKeySet,
  now: number,
): Promise<TokenInspection> {
  try {
    const received = readToken(token, undefined);
    checkIssuer(received.payload.iss, provider.issuer);
    const jwks: KeyFinder = {
      findKey: async (_, kid) => {
        const key = keySet.keys.find((one) => one.kid === kid);
        return key && toVerificationKey(key);
      },
      findLeftOut: (_, kid) => keySet.skipped.find((one) => one.kid === kid)?.reason,
    };
    const verified = await verifyProviderClaims({ received, provider }, jwks, { now });
    const { tokenId: _, issuedAt, ...claims } = verified;
    checkIssuedAt(issuedAt);
    const { claim: clientIdClaim } = readNamedClient(received.payload, provider.clientIdClaim);
    return {
      usable: true,
      clientIdClaim,
      ...claims,
      patterns: provider.clientPatterns === true ? patternsOf(claims.externalClientId) : [],
      otherClaims: otherClaims(received, clientIdClaim),
    };
  } catch (error) {
    if (!(error instanceof BearerRefusal)) throw error;
    const { reason, finding } = error;
    const { serviceTrunkGroup: _, ...shown } = finding ?? {};
    return {
      usable: false,
      reason,
      rule: describeRule(reason),
      finding: finding && (shown as RequestFinding),
    };
  }
}
