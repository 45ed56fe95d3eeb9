/** The platform's regions. Host names and configuration use their ids; AWS does not know them. */
const regionNames = { slc: 'Salt Lake City', dfw: 'Dallas-Fort Worth', pit: 'Pittsburgh' } as const;

export type RegionId = keyof typeof regionNames;

export const regionIds = Object.freeze(Object.keys(regionNames)) as readonly [
  RegionId,
  ...RegionId[],
];

/** AWS regions in sets: a strongly consistent global table (MRSC) must have all replicas in one. */
export const strongConsistencySets: readonly (readonly string[])[] = [
  ['us-east-1', 'us-east-2', 'us-west-2'],
  ['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-central-1'],
  ['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3'],
];
