import type { RegionId } from '../../contract/regions.ts';

/** The only region of the local run. */
export const localRegion: { readonly id: RegionId; readonly awsRegion: string } = {
  id: 'slc',
  awsRegion: 'us-west-2',
};
