import { optionalLookupDeadline } from '../contract/bounds.ts';
import {
  isLookupFailureChoice,
  lookupFailureChoices,
  type OnLookupFailure,
} from '../contract/revocation-check.ts';
import type { ClientLookup } from '../core/client/client.ts';
import { ClockError, refuseOption } from '../core/errors.ts';
import type { RevocationCheck } from '../core/verifier/revocation-check.ts';
import type {
  VerifiedAccessToken,
  VerifiedCredential,
} from '../core/verifier/verified-credential.ts';
import { inTime } from './deadline.ts';
import { isClockError } from './retries.ts';

/** Look-ups by which tokens of this service stop before they expire. */
export type RevocationOptions = {
  /** Looks up the client of each token: `providers.clients` of `createDynamoDbLookups`. */
  readonly clients: ClientLookup;
} & (
  | {
      /** While a client cannot be looked up, `verify` throws UnavailableError: answer 503. */
      readonly onLookupFailure: 'refuse';
    }
  | {
      /** While a client cannot be looked up, its tokens are accepted, revoked ones too. */
      readonly onLookupFailure: 'accept';
      /** Receives each caller that was accepted without a look-up: for your log and metrics. */
      readonly onAcceptedWithoutLookup: (caller: VerifiedAccessToken) => void;
    }
);

/**
 * Look-ups of a check that accepts tokens without them. They do not wait until the deadline of the
 * request. A wrong clock of this host, by which DynamoDB refuses signatures, is a ClockError.
 */
function optionalLookup(clients: ClientLookup): ClientLookup {
  return {
    async findClient(clientId, { signal: outer } = {}) {
      try {
        return await inTime(optionalLookupDeadline, outer, (signal) =>
          clients.findClient(clientId, { signal }),
        );
      } catch (error) {
        const { cause, message } = error as Error;
        if (!isClockError(cause ?? {})) throw error;
        throw new ClockError(`${message}: the clock is off`, { cause });
      }
    },
  };
}

/** Look-ups have less time if tokens are accepted without them. */
export function openRevocationCheck(
  clients: ClientLookup,
  onLookupFailure: OnLookupFailure,
): RevocationCheck {
  return {
    clients: onLookupFailure === 'accept' ? optionalLookup(clients) : clients,
    onLookupFailure,
  };
}

/** @throws {InputError} if a choice or a function is missing, also without the compiler. */
export function readRevocationOptions(options: RevocationOptions): RevocationCheck {
  const { clients, onLookupFailure } = options;
  if (typeof (clients as Partial<ClientLookup> | undefined)?.findClient !== 'function') {
    refuseOption('revocation.clients', clients, 'providers.clients of createDynamoDbLookups');
  }
  if (!isLookupFailureChoice(onLookupFailure)) {
    refuseOption('revocation.onLookupFailure', onLookupFailure, lookupFailureChoices.join(' or '));
  }
  if (onLookupFailure === 'accept') {
    const report: unknown = options.onAcceptedWithoutLookup;
    if (typeof report !== 'function')
      refuseOption('revocation.onAcceptedWithoutLookup', report, 'a function');
  }
  return openRevocationCheck(clients, onLookupFailure);
}

/** What to do with each accepted caller; undefined if there is nothing to report. */
export function reportWithoutLookup(
  options: RevocationOptions | undefined,
): ((verified: VerifiedCredential) => VerifiedCredential) | undefined {
  if (options?.onLookupFailure !== 'accept') return undefined;
  return (verified) => {
    if (verified.credential === 'access_token' && verified.lookupFailure) {
      options.onAcceptedWithoutLookup(verified);
    }
    return verified;
  };
}
