import type * as v from 'valibot';
import type { apiKeysFilter } from '../../contract/management/inputs.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import { expiresWithin as doesExpireWithin } from '../client/secret-attention.ts';
import { isId } from '../credential/credential-value.ts';
import { byNameThen } from './by-name.ts';
import { isOwnedItem, type Page, readOwnedItemsFilter, toPage } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

/** Filters of a list of API keys. An item must meet all of them. */
export type ApiKeysFilter = v.InferOutput<typeof apiKeysFilter>;

/**
 * One page of API keys. A text that is a full id finds that key with one read.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listApiKeys(
  context: ManagementContext,
  filter: ApiKeysFilter = {},
): Promise<Page<ApiKey>> {
  const { anySource, expiresWithin: soon } = filter;
  const now = currentTime(context);
  const isWithin = (key: ApiKey) =>
    soon === undefined || (key.enabled && doesExpireWithin(key, soon, now));
  const matches = (key: ApiKey) =>
    (anySource === undefined || (key.subnets.length === 0) === anySource) && isWithin(key);
  const query = {
    ...readOwnedItemsFilter(filter),
    matches: (anySource ?? soon) === undefined ? undefined : matches,
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
