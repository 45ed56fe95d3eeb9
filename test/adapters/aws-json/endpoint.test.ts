import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../../adapters/aws-json/endpoint.ts';
import { awsRegions } from '../../../contract/partitions.ts';

const regions = [...awsRegions, 'a-new-region-1', 'us-gov-new-1'];
const clients = { kms: KMSClient, dynamodb: DynamoDBClient, sts: STSClient, lambda: LambdaClient };
const services = ['kms', 'dynamodb', 'sts', 'lambda'] as const;
const flags = [false, true];

const cases = services.flatMap((service) =>
  regions.flatMap((region) =>
    flags.flatMap((fips) => flags.map((dualStack) => ({ service, region, fips, dualStack }))),
  ),
);

function sdkEndpoint({ service, region, fips, dualStack }: (typeof cases)[number]): string {
  const given = { Region: region, UseFIPS: fips, UseDualStack: dualStack };
  const { endpointProvider } = new clients[service]({ region }).config as {
    readonly endpointProvider: (of: typeof given) => { readonly url: URL };
  };
  return endpointProvider(given).url.href;
}

describe('an endpoint', () => {
  it.each(cases)(
    'is where the SDK finds $service in $region, FIPS $fips, dual stack $dualStack',
    (each) => {
      const { url, region } = resolveEndpoint(each.service, {
        AWS_REGION: each.region,
        AWS_USE_FIPS_ENDPOINT: String(each.fips),
        AWS_USE_DUALSTACK_ENDPOINT: String(each.dualStack),
      });
      expect(url.href).toBe(sdkEndpoint(each));
      expect(region).toBe(each.region);
    },
  );

  const both = {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:2',
  };

  it.each([
    ['kms', both, 'http://127.0.0.1:2/'],
    ['dynamodb', both, 'http://127.0.0.1:1/'],
    ['kms', { ...both, AWS_ENDPOINT_URL_KMS: '' }, 'http://127.0.0.1:1/'],
    [
      'kms',
      { ...both, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
      'https://kms.us-west-2.amazonaws.com/',
    ],
  ] as const)('of %s follows %o', (service, variables, expected) => {
    const { url } = resolveEndpoint(service, { AWS_REGION: 'us-west-2', ...variables });
    expect(url.href).toBe(expected);
  });

  it('needs a region', () => {
    expect(() => resolveEndpoint('kms', { AWS_REGION: '' })).toThrow(/AWS_REGION/);
  });
});
