import type { RaisedQuota } from '../contract/deployment-check.ts';
import { maxSockets } from './aws-client-options.ts';
import { callAws } from './aws-errors.ts';
import { createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { callProfiles } from './call-profile.ts';

/** What the account has of a quota in this AWS region, a second. */
export type ReadQuota = (
  quota: Pick<RaisedQuota, 'service' | 'code' | 'standard'>,
) => Promise<number>;

export function createReadQuota(environment: Environment): ReadQuota {
  const client = createAwsJsonClient({
    service: 'servicequotas',
    protocol: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'ServiceQuotasV20190624' },
    environment,
    profile: callProfiles.background,
    maxSockets,
  });
  return async ({ service: ServiceCode, code: QuotaCode, standard }) => {
    try {
      const output = await callAws('Service Quotas', `read the quota ${QuotaCode}`, () =>
        client.call('GetServiceQuota', { ServiceCode, QuotaCode }),
      );
      return (output as { readonly Quota: { readonly Value: number } }).Quota.Value;
    } catch (error) {
      // No one has changed it.
      if (error instanceof Error && error.name === 'NoSuchResourceException') return standard;
      throw error;
    }
  };
}
