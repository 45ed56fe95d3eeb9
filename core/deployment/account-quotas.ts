import { leastUnreserved } from '../../contract/bounds.ts';
import type { RaisedQuota } from '../../contract/deployment-check.ts';
import type { Reservation } from '../../contract/reservations.ts';
import { RefusedError } from '../errors.ts';

/** Concurrent executions of an account in one AWS region, as Lambda counts them. */
interface AccountConcurrency {
  /** The quota. */
  readonly limit: number;
  /** What no function of the account has reserved. */
  readonly unreserved: number;
}

export interface ReservationCheck {
  readonly account: AccountConcurrency;
  /** What the config reserves. */
  readonly reservations: readonly Pick<Reservation, 'key' | 'executions'>[];
  /** What the same functions have reserved. */
  readonly held: number;
}

/**
 * Checks that Lambda will accept the reservations of a config. It refuses one that leaves too few
 * executions without a reservation, in the middle of a deployment.
 *
 * @throws {RefusedError} naming the quota, the sum and the keys.
 */
export function assertReservable({ account, reservations, held }: ReservationCheck): void {
  const { limit, unreserved } = account;
  const sum = reservations.reduce((total, { executions }) => total + executions, 0);
  const least = Math.min(leastUnreserved, limit);
  const most = Math.max(0, unreserved + held - least);
  // What a service has already is not refused, also if the quota was lowered.
  if (sum <= most || sum <= held) return;
  const keys = reservations.map(({ key, executions }) => `${key} (${executions})`).join(' + ');
  throw new RefusedError(
    `${keys}: received ${sum} reserved executions; allowed: at most ${most}, because the account has a Lambda quota of ${limit} concurrent executions in this AWS region, other functions reserve ${limit - unreserved - held}, and Lambda keeps ${least} unreserved: request a higher quota (Service Quotas, "Concurrent executions"), or reserve less in these keys: without the key or with "none", a function reserves nothing`,
  );
}

const names: Readonly<Record<RaisedQuota['key'], string>> = {
  kmsSignQuota: 'AWS KMS, "Cryptographic operations request rate" of the key\'s family',
  apiGatewayQuota: 'Amazon API Gateway, "Throttle rate"',
};

/**
 * Checks that AWS gives as much as a config says. Throttles follow the config: above the quota, AWS
 * refuses what they let through.
 *
 * @param quota what the account has, a second.
 * @throws {RefusedError} naming both.
 */
export function assertQuota({ key, value }: RaisedQuota, quota: number): void {
  if (value <= quota) return;
  throw new RefusedError(
    `${key}: received ${value}; allowed: at most ${quota}, which this account has in this AWS region: request a higher quota (Service Quotas, ${names[key]}), or set a lower figure`,
  );
}
