import { remember } from '../../../core/bounded-map.ts';
import type { DynamoDbDocuments, DynamoDbRegions } from './dynamodb-calls.ts';

/** @param open makes the client of another region, once for each. */
export function openRegions<T extends DynamoDbDocuments>(
  own: T,
  getOwnRegion: () => Promise<string | undefined>,
  open: (awsRegion: string) => T,
): DynamoDbRegions<T> {
  const others = new Map<string, T>();
  return {
    own,
    inRegion: async (awsRegion) =>
      (await getOwnRegion()) === awsRegion ? own : remember(others, awsRegion, open),
  };
}
