import { type ApiKey, type ApiKeyWithUse, valueIdOf } from '../api-key/api-key.ts';
import { UnavailableError } from '../errors.ts';
import { findApiKey, listApiKeys } from './api-keys.ts';
import type { Page } from './list-query.ts';
import type { ManagementContext } from './management-context.ts';

function usesOf(key: ApiKey) {
  const values = [valueIdOf(key), ...(key.oldValues ?? []).map(({ valueId }) => valueId)];
  return values.map((valueId) => ({ keyId: key.keyId, valueId }));
}

/** Adds the days. A key is shown without them, too: what cannot be read here decides nothing. */
async function withUses(
  { apiKeyUses }: Pick<ManagementContext, 'apiKeyUses'>,
  keys: readonly ApiKey[],
): Promise<readonly ApiKeyWithUse[]> {
  if (apiKeyUses === undefined || keys.length === 0) return keys;
  try {
    const days = (await apiKeyUses.findLastUses(keys.flatMap(usesOf))).values();
    const next = () => days.next().value;
    return keys.map((key) => ({
      ...key,
      lastUsedOn: next(),
      oldValues: key.oldValues?.map((old) => ({ ...old, lastUsedOn: next() })),
    }));
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return keys.map((key) => ({ ...key, isLastUseUnread: true }));
  }
}

export async function showApiKey(
  context: ManagementContext,
  keyId: string,
): Promise<ApiKeyWithUse> {
  const key = await findApiKey(context, keyId);
  return (await withUses(context, [key]))[0] ?? key;
}

export async function listApiKeysWithUse(
  context: ManagementContext,
  filter: Parameters<typeof listApiKeys>[1] = {},
): Promise<Page<ApiKeyWithUse>> {
  const page = await listApiKeys(context, filter);
  if (filter.withLastUse === false) return page;
  return { ...page, items: await withUses(context, page.items) };
}
