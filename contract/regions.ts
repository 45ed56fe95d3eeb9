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

/** Whether an AWS region belongs to AWS GovCloud (US). */
export function isGovCloud(awsRegion: string): boolean {
  return awsRegion.startsWith('us-gov-');
}
