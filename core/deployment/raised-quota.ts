import type { RaisedQuota } from '../../contract/deployment-check.ts';
import { RefusedError } from '../errors.ts';

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
