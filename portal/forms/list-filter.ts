import { NotFoundError } from '../../adapters/management.ts';
import type { Fields } from './fields.ts';

/** The part of a filter that clients and API keys share. */
export function readListFilter(query: Fields) {
  const enabled = query.optional('enabled');
  return {
    text: query.text('text').trim() || undefined,
    trunkGroup: query.text('trunkGroup').trim() || undefined,
    enabled: enabled === undefined ? undefined : enabled === 'yes',
  };
}

/**
 * A list that is filtered by a whole id is one read of that item, regardless of the length of the
 * list.
 *
 * @param find reads the item. It throws a NotFoundError if there is none.
 */
export async function findListed<T>(
  find: () => Promise<T>,
): Promise<{ readonly items: readonly T[]; readonly examined: number }> {
  try {
    return { items: [await find()], examined: 1 };
  } catch (error) {
    if (error instanceof NotFoundError) return { items: [], examined: 1 };
    throw error;
  }
}
