import { describe, expect, it } from 'vitest';
import type { ApiKeyUse } from '../../../core/api-key/api-key.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { viewApiKey } from '../../../core/management/api-key-view.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  createApiKey,
  findApiKey,
  listApiKeys,
  rotateApiKey,
  setApiKeyEnabled,
} from '../../support/operations.ts';

const day = 86_400;
const input = { name: 'Ada', serviceTrunkGroup: 'tg-1001' };

/** Management that knows these days of the last use, by value. */
function managementWith(days: ReadonlyMap<string, string>) {
  const asked: ApiKeyUse[][] = [];
  const management = createTestManagement({
    apiKeyUses: {
      findLastUses: async (uses) => {
        asked.push([...uses]);
        return uses.map(({ valueId }) => days.get(valueId));
      },
    },
  });
  return { ...management, asked };
}

describe('the last use of API keys', () => {
  it('is of each value, when a key is shown and listed, and in no record and no audit', async () => {
    const days = new Map<string, string>();
    const { context, asked, apiKeys, audit } = managementWith(days);
    const { key } = await createApiKey(context, input);
    const unused = await createApiKey(context, { ...input, name: 'Bob' });
    const rotated = await rotateApiKey(context, key.keyId, { overlap: day });
    const { valueId = '' } = rotated.key;
    days.set(key.keyId, '2027-01-14').set(valueId, '2027-01-15');
    const shown = viewApiKey(await findApiKey(context, key.keyId));
    expect(shown).toMatchObject({
      value_id: valueId,
      last_used_on: '2027-01-15',
      old_values: [{ value_id: key.keyId, last_used_on: '2027-01-14' }],
    });
    const { items } = await listApiKeys(context);
    expect(items.map(viewApiKey)).toEqual([shown, viewApiKey(unused.key)]);
    expect(asked).toHaveLength(2);
    await setApiKeyEnabled(context, key.keyId, false);
    expect(JSON.stringify([...apiKeys.values(), audit])).not.toMatch(/last_?used/i);
    expect(asked).toHaveLength(2);
  });

  it('that cannot be read hides no key', async () => {
    const { context } = createTestManagement({
      apiKeyUses: { findLastUses: () => Promise.reject(new UnavailableError('down')) },
    });
    const { key } = await createApiKey(context, input);
    const unread = { is_last_use_unread: true };
    expect(viewApiKey(await findApiKey(context, key.keyId))).toMatchObject(unread);
    expect((await listApiKeys(context)).items.map(viewApiKey)).toMatchObject([unread]);
  });
});
