import { partitionOf } from '../../contract/partitions.ts';

/** Environment variables by name; empty means missing. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type AwsJsonService = 'kms' | 'dynamodb';

/** By the name in the host, which is the one that requests are signed for. */
export type Service =
  | AwsJsonService
  | 'sts'
  | 'secretsmanager'
  | 'events'
  | 'lambda'
  | 'servicequotas';

/** The address of a service, and the name that requests to it are signed for. */
export interface Endpoint {
  readonly url: URL;
  readonly region: string;
}

function isOn(environment: Environment, name: string): boolean {
  return environment[name]?.toLowerCase() === 'true';
}

function configuredUrl(service: Service, environment: Environment): string | undefined {
  if (isOn(environment, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS')) return undefined;
  return (
    environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ||
    environment['AWS_ENDPOINT_URL'] ||
    undefined
  );
}

/** In GovCloud, the plain names of DynamoDB and STS are FIPS endpoints. */
function hostPrefix(service: Service, region: string, fips: boolean, dualStack: boolean) {
  const plain = ['dynamodb', 'sts'].includes(service) && region.startsWith('us-gov-') && !dualStack;
  return fips && !plain ? `${service}-fips` : service;
}

/**
 * Finds a service as the SDK does: AWS_ENDPOINT_URL_KMS, _DYNAMODB or _STS, AWS_ENDPOINT_URL, else
 * the region's own endpoint, with AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT.
 *
 * @throws {Error} if there is no region.
 */
export function resolveEndpoint(service: Service, environment: Environment): Endpoint {
  const region = environment['AWS_REGION'];
  if (!region) throw new Error('AWS_REGION: received nothing; allowed: an AWS region');
  const configured = configuredUrl(service, environment);
  if (configured !== undefined) return { url: new URL(configured), region };
  const fips = isOn(environment, 'AWS_USE_FIPS_ENDPOINT');
  const dualStack = isOn(environment, 'AWS_USE_DUALSTACK_ENDPOINT');
  const { domain, dualStackDomain } = partitionOf(region);
  const prefix = hostPrefix(service, region, fips, dualStack);
  const suffix = dualStack ? dualStackDomain : domain;
  return { url: new URL(`https://${prefix}.${region}.${suffix}`), region };
}
