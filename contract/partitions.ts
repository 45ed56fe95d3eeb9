import { suggestName } from './nearest-names.ts';

/** A partition of AWS, which has ARNs and host names of its own. */
interface Partition {
  /** The second part of each ARN. */
  readonly id: string;
  readonly domain: string;
  readonly dualStackDomain: string;
}

/** By how the names of their regions begin. Tests compare the table with the SDK and the CDK. */
const partitions: readonly (readonly [prefix: string, ...Parameters<typeof partition>])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu', 'api.amazonwebservices.eu'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com', 'api.aws'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov', 'api.aws.ic.gov'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov', 'api.aws.scloud'],
  ['eu-isoe-', 'aws-iso-e', 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'],
  ['us-isof-', 'aws-iso-f', 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'],
];
const commercial = ['aws', 'amazonaws.com', 'api.aws'] as const;

function partition(id: string, domain: string, dualStackDomain: string): Partition {
  return { id, domain, dualStackDomain };
}

/** The partition of an AWS region, also of one that is newer than this release. */
export function partitionOf(awsRegion: string): Partition {
  const [, ...found] = partitions.find(([prefix]) => awsRegion.startsWith(prefix)) ?? [
    '',
    ...commercial,
  ];
  return partition(...found);
}

/** A part of a regular expression: a domain of AWS's services, in any partition. */
export function awsDomain(): string {
  const domains = [['', ...commercial] as const, ...partitions].flatMap(([, , ...both]) => both);
  return `(?:${domains.map((domain) => domain.replaceAll('.', String.raw`\.`)).join('|')})`;
}

/** Every AWS region, as the CDK knows them: a test compares the two. */
export const awsRegions: readonly string[] = [
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-central-1',
  'ca-west-1',
  'cn-north-1',
  'cn-northwest-1',
  'eu-central-1',
  'eu-central-2',
  'eu-isoe-west-1',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'eusc-de-east-1',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'me-west-1',
  'mx-central-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-gov-east-1',
  'us-gov-west-1',
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-east-1',
  'us-isof-south-1',
  'us-west-1',
  'us-west-2',
];

function isIsolated(awsRegion: string): boolean {
  return partitionOf(awsRegion).id.startsWith('aws-iso');
}

/** Why nothing can be deployed in a region, as what is allowed instead; undefined if it can be. */
export function findRegionProblem(awsRegion: string): string | undefined {
  if (!awsRegions.includes(awsRegion)) {
    const known = awsRegions.filter((name) => !isIsolated(name));
    return `an AWS region: ${known.join(', ')}${suggestName(awsRegion, known)}`;
  }
  return isIsolated(awsRegion)
    ? `a region outside of ${partitionOf(awsRegion).id}: the functions need arm64, and the API a TLS policy of 2025, which AWS documents for no isolated partition`
    : undefined;
}

/**
 * AWS regions in which API Gateway lets 2,500 requests a second through for all APIs of an account,
 * until it is raised:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html, November 2026.
 */
const smallGateways =
  'af-south-1 eu-south-1 ap-southeast-3 me-central-1 ap-south-2 ap-southeast-4 eu-south-2 eu-central-2 il-central-1 ca-west-1 ap-southeast-5 ap-southeast-7 mx-central-1';

/** Requests a second that API Gateway lets through for a new account. */
export function gatewayQuota(awsRegion: string): number {
  return smallGateways.split(' ').includes(awsRegion) ? 2500 : 10_000;
}
