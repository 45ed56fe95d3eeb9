import type { ApiKey } from '../api-key/api-key.ts';
import { byNameThen } from './by-name.ts';
import {
  type OwnedItemsFilter,
  ownedItemsFields,
  type Page,
  readOwnedItemsFilter,
  toPage,
} from './list-query.ts';
import type { ManagementContext } from './management-context.ts';
import { optional, readBoolean, readFields } from './read-input.ts';

/** Filters of a list of API keys. An item must meet all of them. */
export interface ApiKeysFilter extends OwnedItemsFilter {
  /** Whether every address may use the key: it has no subnets. */
  readonly anySource?: boolean | undefined;
}

/**
 * One page of API keys.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listApiKeys(
  context: ManagementContext,
  filter: ApiKeysFilter = {},
): Promise<Page<ApiKey>> {
  const given = readFields('filter', filter, [...ownedItemsFields, 'anySource']);
  const anySource = optional(given.anySource, (value) => readBoolean('anySource', value));
  const page = await context.apiKeys.readApiKeys({
    ...readOwnedItemsFilter(given),
    matches:
      anySource === undefined ? undefined : (key) => (key.subnets.length === 0) === anySource,
  });
  return toPage(
    page,
    byNameThen((key) => key.keyId),
  );
}
