import { apiKeysFilter } from '../../contract/management/inputs.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import { isId } from '../credential/credential-value.ts';
import { byNameThen } from './by-name.ts';
import {
  isOwnedItem,
  type OwnedItemsFilter,
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
 * One page of API keys. A text that is a full id finds that key with one read.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listApiKeys(
  context: ManagementContext,
  filter: ApiKeysFilter = {},
): Promise<Page<ApiKey>> {
  const given = readFields('filter', filter, apiKeysFilter.fields);
  const anySource = optional(given.anySource, (value) => readBoolean('anySource', value));
  const matches = ({ subnets }: ApiKey) => (subnets.length === 0) === anySource;
  const query = {
    ...readOwnedItemsFilter(given),
    matches: anySource === undefined ? undefined : matches,
  };
  const { text = '' } = query;
  if (isId('apiKey', text)) {
    const key = await context.apiKeys.findApiKey(text);
    const isWanted = key !== undefined && isOwnedItem(key, query) && query.matches?.(key) !== false;
    return { items: isWanted ? [key] : [], examined: 1 };
  }
  return toPage(
    await context.apiKeys.readApiKeys(query),
    byNameThen((key) => key.keyId),
  );
}
