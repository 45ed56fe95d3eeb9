import { remember } from '../../core/bounded-map.ts';
import type { DynamoDbDocuments, DynamoDbRegions } from './dynamodb-calls.ts';

/** @param open makes the client of another region, once for each. */
export function openRegions(
  own: DynamoDbDocuments,
  getOwnRegion: () => Promise<string | undefined>,
  open: (awsRegion: string) => DynamoDbDocuments,
): DynamoDbRegions {
  const others = new Map<string, DynamoDbDocuments>();
  return {
    own,
    inRegion: async (awsRegion) =>
      (await getOwnRegion()) === awsRegion ? own : remember(others, awsRegion, open),
  };
}
