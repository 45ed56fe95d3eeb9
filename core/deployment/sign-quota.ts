import { RefusedError } from '../errors.ts';

/**
 * Checks that KMS will sign as often as a config says. The throttle of the token path follows the
 * config, so a higher figure would make KMS refuse requests that the throttle lets through.
 *
 * @param quota what the account has, a second.
 * @throws {RefusedError} naming both.
 */
export function assertSignQuota(kmsSignQuota: number, quota: number): void {
  if (kmsSignQuota <= quota) return;
  throw new RefusedError(
    `kmsSignQuota: received ${kmsSignQuota}; allowed: at most ${quota}, which KMS gives this account in this AWS region: request a higher quota (Service Quotas, AWS KMS, "Cryptographic operations request rate" of the key's family), or set a lower figure`,
  );
}
