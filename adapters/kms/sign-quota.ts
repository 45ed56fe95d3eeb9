import { defaultKmsSignQuota } from '../../contract/limits.ts';
import { maxSockets } from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';
import { createAwsJsonClient } from '../aws-json/aws-json-client.ts';
import type { Environment } from '../aws-json/endpoint.ts';
import { callProfiles } from '../call-profile.ts';

/**
 * How often KMS signs for the account in this AWS region, a second.
 *
 * @param quotaCode AWS's code of the quota.
 * @throws {UnavailableError} if Service Quotas does not answer.
 */
export type ReadSignQuota = (quotaCode: string) => Promise<number>;

export function createReadSignQuota(environment: Environment): ReadSignQuota {
  const client = createAwsJsonClient({
    service: 'servicequotas',
    protocol: {
      contentType: 'application/x-amz-json-1.1',
      targetPrefix: 'ServiceQuotasV20190624',
    },
    environment,
    profile: callProfiles.background,
    maxSockets,
  });
  return async (QuotaCode) => {
    try {
      const input = { ServiceCode: 'kms', QuotaCode };
      const output = await callAws('Service Quotas', `read the quota ${QuotaCode}`, () =>
        client.call('GetServiceQuota', input),
      );
      return (output as { readonly Quota: { readonly Value: number } }).Quota.Value;
    } catch (error) {
      // No one has changed it.
      if (error instanceof Error && error.name === 'NoSuchResourceException') {
        return defaultKmsSignQuota;
      }
      throw error;
    }
  };
}
