/**
 * The platform's regions. Their ids are used in host names and configuration; AWS does not know
 * them.
 */
const regionNames = {
  slc: 'Salt Lake City',
  dfw: 'Dallas-Fort Worth',
  pit: 'Pittsburgh',
} as const;

export type RegionId = keyof typeof regionNames;

export const regionIds = Object.freeze(Object.keys(regionNames)) as readonly [
  RegionId,
  ...RegionId[],
];

/**
 * AWS regions among which DynamoDB keeps a global table strongly consistent (MRSC). A table's
 * replicas must all lie in one set.
 */
export const strongConsistencySets: readonly (readonly string[])[] = [
  ['us-east-1', 'us-east-2', 'us-west-2'],
  ['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-central-1'],
  ['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3'],
];

/** AWS regions in which an account's APIs may have 2,500 requests a second and not 10,000. */
const smallGatewayRegions: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'mx-central-1',
]);

/**
 * Requests a second of all APIs of an account, unless AWS raised it:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html, November 2026.
 */
export function defaultGatewayQuota(awsRegion: string): number {
  return smallGatewayRegions.has(awsRegion) ? 2500 : 10_000;
}
