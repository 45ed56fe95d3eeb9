import type { OnLookupFailure } from '../../contract/revocation-check.ts';
import type { CheckedClient, ClientLookup } from '../client/client.ts';
import { ClockError, UnavailableError } from '../errors.ts';
import type { PortOptions } from '../port.ts';
import { formatTime } from '../time.ts';
import {
  type BearerRefusal,
  type Finding,
  type RefusalReason,
  refuseBearer,
  stopsFinding,
} from './bearer-refusal.ts';
import type { VerifiedAccessToken } from './verified-credential.ts';

/** Looks up the client of each token of this service. Without it they are not looked up. */
export interface RevocationCheck {
  readonly clients: ClientLookup;
  /** What happens to a token while its client cannot be looked up. */
  readonly onLookupFailure: OnLookupFailure;
}

/** Whose token it is, for the refusal. */
type TokenOwner = Pick<VerifiedAccessToken, 'issuer' | 'clientId' | 'serviceTrunkGroup'>;

function refuseOwner(
  reason: RefusalReason,
  { issuer, clientId, serviceTrunkGroup }: TokenOwner,
  finding: Omit<Finding, 'serviceTrunkGroup'>,
): BearerRefusal {
  return refuseBearer(reason, () => ({ ...finding, serviceTrunkGroup }), { issuer, clientId });
}

/**
 * Refuses tokens of a disabled client, and tokens that were issued before the client's tokens were
 * revoked. A token that does not say when it was issued may be an old one.
 *
 * @param issuedAt `iat`, in seconds.
 * @throws {BearerRefusal}
 */
export function checkStatus(
  { stops, tokensNotBefore }: Pick<CheckedClient, 'stops' | 'tokensNotBefore'>,
  issuedAt: number | undefined,
  owner: TokenOwner,
): void {
  if (stops !== undefined) throw refuseOwner('client_disabled', owner, stopsFinding(stops));
  if (tokensNotBefore === undefined || (issuedAt ?? 0) >= tokensNotBefore) return;
  throw refuseOwner('token_revoked', owner, {
    name: 'iat',
    received: issuedAt === undefined ? undefined : formatTime(issuedAt),
    expected: `at least ${formatTime(tokensNotBefore)}, as the client was created or its tokens were revoked then`,
  });
}

/** @returns the failure if the look-up failed and the token is accepted without it. */
async function lookUp(
  { clients, onLookupFailure }: RevocationCheck,
  clientId: string,
  options: PortOptions,
): Promise<{ readonly client: CheckedClient | undefined } | { readonly failure: Error }> {
  try {
    return { client: await clients.findClient(clientId, options) };
  } catch (error) {
    // Only an outage: a missing permission or a malformed record would not end by itself. What the
    // check decides by a wrong clock is wrong too.
    const isOutage = error instanceof UnavailableError && !(error instanceof ClockError);
    if (onLookupFailure === 'accept' && isOutage) return { failure: error };
    throw error;
  }
}

/**
 * Checks the client's present record, for a token of this service that is good otherwise.
 *
 * @param issuedAt `iat`, in seconds.
 * @returns the token; with `lookupFailure` if it is accepted without a look-up.
 * @throws {BearerRefusal} if the client does not exist or is disabled, or the token was revoked.
 * @throws {UnavailableError} if the client cannot be looked up and such tokens are refused, or this
 *   host's clock is wrong.
 */
export async function checkRevocation(
  token: VerifiedAccessToken,
  issuedAt: number,
  check: RevocationCheck,
  options: PortOptions,
): Promise<VerifiedAccessToken> {
  const found = await lookUp(check, token.clientId, options);
  if ('failure' in found) return { ...token, lookupFailure: found.failure };
  if (found.client === undefined) {
    const expected = 'the id of a client that exists';
    const finding = { name: 'client_id', received: token.clientId, expected };
    throw refuseOwner('client_unknown', token, finding);
  }
  checkStatus(found.client, issuedAt, token);
  return token;
}
