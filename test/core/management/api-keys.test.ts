import { describe, expect, it } from 'vitest';
import { acceptsSource } from '../../../core/api-key/subnet.ts';
import { hashSecret, readApiKeyId } from '../../../core/credential/credential-value.ts';
import { ConflictError, InputError, NotFoundError, RefusedError } from '../../../core/errors.ts';
import { viewApiKey } from '../../../core/management/api-key-view.ts';
import type { NewApiKey } from '../../../core/management/api-keys.ts';
import { isEnabled } from '../../../core/stops.ts';
import { formatTime } from '../../../core/time.ts';
import { verifyApiKey } from '../../../core/verifier/api-key-credential.ts';
import { BearerRefusal } from '../../../core/verifier/bearer-refusal.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  addSubnet,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  removeSubnet,
  rotateApiKey,
  setApiKeyEnabled,
  updateApiKey,
} from '../../support/operations.ts';

const input: NewApiKey = { name: 'Ada', serviceTrunkGroup: 'tg-1001' };
const office = { name: 'office', address: '203.0.113.0', netmask: '255.255.255.0' };
const home = { name: 'home', address: '2001:db8::/32' };

const openToAll = ['Every address on the internet can use the key.'];

describe('creating an API key', () => {
  it('warns of subnets that limit nothing, and of bits that were cut', async () => {
    const { context } = createTestManagement();
    const halves = ['0.0.0.0/1', '128.0.0.0/1'];
    const named = (...addresses: readonly string[]) =>
      addresses.map((address, index) => ({ name: `${index}`, address }));
    const created = (...addresses: readonly string[]) =>
      createApiKey(context, { ...input, subnets: named(...addresses) });
    expect((await created()).warnings).toEqual(openToAll);
    expect((await created('203.0.113.0/24')).warnings).toEqual([]);
    expect((await created(...halves)).warnings).toEqual([
      'The subnets together are every IPv4 address: they limit nothing.',
    ]);
    const { key, warnings } = await created('203.0.113.7/24');
    expect(warnings).toEqual(['203.0.113.7/24 was stored as the network 203.0.113.0/24.']);
    const added = await addSubnet(context, key.keyId, { name: 'lan', address: '10.1.2.3/8' });
    expect(added.warnings).toEqual([
      '10.1.2.3/8 was stored as the network 10.0.0.0/8.',
      expect.stringContaining('10.0.0.0/8 is a private range'),
    ]);
  });

  it('gives the value once and keeps only its hash', async () => {
    const { context, apiKeys, audit } = createTestManagement();
    const { key, value } = await createApiKey(context, input);
    expect(readApiKeyId(value ?? '')).toBe(key.keyId);
    expect(key.hash).toBe(hashSecret(value ?? ''));
    expect(key).toMatchObject({ stops: undefined, subnets: [] });
    expect([...apiKeys.values()]).toEqual([key]);
    expect(JSON.stringify([...apiKeys, audit])).not.toContain(value);
    expect(JSON.stringify(audit)).not.toContain(key.hash);
  });

  it('may be created disabled, with a list', async () => {
    const { context } = createTestManagement();
    const { key } = await createApiKey(context, {
      ...input,
      enabled: false,
      subnets: [office, home],
    });
    expect(isEnabled(key)).toBe(false);
    expect(viewApiKey(key).acl).toEqual([
      {
        subnet_id: expect.stringMatching(/^subnet_[0-9A-Za-z]{22}$/),
        name: 'office',
        address: '203.0.113.0',
        netmask: '255.255.255.0',
        prefix_length: 24,
      },
      expect.objectContaining({ name: 'home', netmask: 'ffff:ffff::' }),
    ]);
  });

  it.each<[string, Partial<NewApiKey>, string]>([
    ['an empty name', { name: '' }, 'name: received ""'],
    ['a bad trunk group', { serviceTrunkGroup: '"' }, 'service_trunk_group: received "\\""'],
    ['one subnet twice', { subnets: [office, office] }, '203.0.113.0/24 is in the list already'],
    [
      'a subnet without name',
      { subnets: [{ ...office, name: '' }] },
      'subnets[0]: name: received ""',
    ],
  ])('refuses %s', async (_, change, message) => {
    const { context, apiKeys } = createTestManagement();
    await expect(createApiKey(context, { ...input, ...change })).rejects.toThrow(message);
    expect(apiKeys.size).toBe(0);
  });

  it('makes one key of two calls with one idempotency key, and shows it to the first', async () => {
    const { context, apiKeys } = createTestManagement();
    const request = { ...input, subnets: [office], idempotencyKey: '6f9619ff-8b86-d011' };
    const [first, second] = await Promise.all([
      createApiKey(context, request),
      createApiKey(context, request),
    ]);
    expect([first.value, second.value].filter((value) => value === undefined)).toHaveLength(1);
    expect((await createApiKey(context, request)).value).toBeUndefined();
    expect(apiKeys.size).toBe(1);
    await expect(createApiKey(context, { ...request, name: 'Eve' })).rejects.toThrow(RefusedError);
  });
});

describe('changing an API key', () => {
  it('renames, disables, enables and deletes', async () => {
    const { context, apiKeys, audit } = createTestManagement();
    const { key } = await createApiKey(context, input);
    expect((await updateApiKey(context, key.keyId, { name: 'Bea' })).name).toBe('Bea');
    expect(isEnabled(await setApiKeyEnabled(context, key.keyId, false))).toBe(false);
    expect(isEnabled(await setApiKeyEnabled(context, key.keyId, true))).toBe(true);
    const stale = deleteApiKey(context, key.keyId, { ifVersion: key.version });
    await expect(stale).rejects.toThrow(ConflictError);
    await deleteApiKey(context, key.keyId, { ifVersion: key.version + 3 });
    expect(apiKeys.size).toBe(0);
    expect(
      audit.filter(({ outcome }) => outcome !== 'intended').map((r) => [r.action, r.outcome]),
    ).toEqual([
      ['api_key.create', 'done'],
      ['api_key.update', 'done'],
      ['api_key.disable', 'done'],
      ['api_key.enable', 'done'],
      ['api_key.delete', 'done'],
    ]);
  });

  it.each([
    ['key_zzz', InputError],
    ['key_0000000000000000000000', NotFoundError],
  ])('refuses the id %s', async (id, type) => {
    const { context } = createTestManagement();
    await expect(updateApiKey(context, id, { name: 'x' })).rejects.toThrow(type);
    await expect(setApiKeyEnabled(context, id, false)).rejects.toThrow(type);
    await expect(addSubnet(context, id, office)).rejects.toThrow(type);
  });
});

describe('the list of an API key', () => {
  it('accepts what was added and no more', async () => {
    const { context } = createTestManagement();
    const { key } = await createApiKey(context, input);
    await addSubnet(context, key.keyId, office);
    const { key: changed, subnet } = await addSubnet(context, key.keyId, home);
    expect(subnet).toMatchObject({ name: 'home', address: '2001:db8::', prefixLength: 32 });
    expect(acceptsSource(changed.subnets, '203.0.113.9')).toBe(true);
    expect(acceptsSource(changed.subnets, '198.51.100.1')).toBe(false);
  });

  it('loses its last subnet only when every source is meant', async () => {
    const { context } = createTestManagement();
    const { key } = await createApiKey(context, { ...input, subnets: [office, home] });
    const [first, last] = key.subnets;
    await removeSubnet(context, key.keyId, first?.subnetId ?? '');
    const remove = (options?: { readonly allowAnySource: boolean }) =>
      removeSubnet(context, key.keyId, last?.subnetId ?? '', options);
    for (const options of [undefined, { allowAnySource: false }]) {
      await expect(remove(options)).rejects.toThrow(
        `2001:db8::/32 is the last subnet of ${key.keyId}: without it, every source may use the key`,
      );
    }
    expect((await remove({ allowAnySource: true })).subnets).toEqual([]);
  });

  it('refuses to lose what it does not have', async () => {
    const { context } = createTestManagement();
    const { key } = await createApiKey(context, { ...input, subnets: [office] });
    const removing = removeSubnet(context, key.keyId, 'subnet_0000000000000000000000');
    await expect(removing).rejects.toThrow(`there is no subnet of ${key.keyId}`);
  });

  it('refuses the 101st subnet', async () => {
    const { context } = createTestManagement();
    const subnets = Array.from({ length: 100 }, (_, i) => ({
      name: `n${i}`,
      address: `10.0.${i}.0`,
      netmask: 24,
    }));
    const { key } = await createApiKey(context, { ...input, subnets });
    await expect(addSubnet(context, key.keyId, office)).rejects.toThrow(
      'a key has at most 100 subnets; remove one first',
    );
  });
});

describe('the end of an API key', () => {
  const now = (context: { readonly clock: () => number }) => Math.floor(context.clock() / 1000);

  it('is set at the creation, changed and removed', async () => {
    const { context, apiKeys, audit } = createTestManagement();
    const expiresAt = now(context) + 60;
    const { key } = await createApiKey(context, { ...input, expiresAt });
    expect(viewApiKey(key).expires_at).toBe(formatTime(expiresAt));
    await updateApiKey(context, key.keyId, { expiresAt: expiresAt + 60 });
    expect(apiKeys.get(key.keyId)?.expiresAt).toBe(expiresAt + 60);
    await updateApiKey(context, key.keyId, { name: 'Bea' });
    expect(apiKeys.get(key.keyId)).toMatchObject({ name: 'Bea', expiresAt: expiresAt + 60 });
    await updateApiKey(context, key.keyId, { expiresAt: null });
    expect(apiKeys.get(key.keyId)?.expiresAt).toBeUndefined();
    expect(JSON.stringify(audit)).toContain('api_key.update');
  });

  it.each([
    ['now', 0],
    ['in the past', -1],
  ])('cannot be %s', async (_, seconds) => {
    const { context, apiKeys } = createTestManagement();
    const expiresAt = now(context) + seconds;
    const allowed = 'allowed: a time in the future';
    await expect(createApiKey(context, { ...input, expiresAt })).rejects.toThrow(allowed);
    expect(apiKeys.size).toBe(0);
    const { key } = await createApiKey(context, input);
    await expect(updateApiKey(context, key.keyId, { expiresAt })).rejects.toThrow(allowed);
  });

  it('cannot be moved once it has come, but the key can be renamed', async () => {
    const { context, apiKeys } = createTestManagement();
    const { key } = await createApiKey(context, input);
    apiKeys.set(key.keyId, { ...key, expiresAt: now(context) });
    for (const expiresAt of [null, now(context) + 60]) {
      await expect(updateApiKey(context, key.keyId, { expiresAt })).rejects.toThrow(
        new RefusedError(`${key.keyId} has expired; it cannot be extended. Create a new API key`),
      );
    }
    expect(await updateApiKey(context, key.keyId, { name: 'Old' })).toMatchObject({ name: 'Old' });
  });

  it('is not compared if a creation is sent again: the answer has the end that is stored', async () => {
    const { context } = createTestManagement();
    const request = { ...input, idempotencyKey: '6f9619ff-8b86-d011' };
    const expiresAt = now(context) + 60;
    const { key } = await createApiKey(context, { ...request, expiresAt });
    const again = await createApiKey(context, { ...request, expiresAt: expiresAt + 5 });
    expect(again).toEqual({ key, value: undefined, warnings: openToAll });
  });

  it('filters a list, without disabled keys', async () => {
    const { context } = createTestManagement();
    const soon = { ...input, expiresAt: now(context) + 60 };
    const { key } = await createApiKey(context, soon);
    await createApiKey(context, { ...soon, enabled: false });
    await createApiKey(context, { ...soon, expiresAt: now(context) + 61 });
    await createApiKey(context, input);
    expect((await listApiKeys(context, { expiresWithin: 60 })).items).toEqual([key]);
    const other = { text: key.keyId, expiresWithin: 59 };
    expect((await listApiKeys(context, other)).items).toEqual([]);
  });
});

describe('the scopes of an API key', () => {
  const view = ['messaging:view'];

  it('are chosen at the creation, in the order of the catalogue, changed and removed', async () => {
    const { context, apiKeys } = createTestManagement();
    const scopes = ['calls:view', 'messaging:view', 'calls:view'];
    const { key } = await createApiKey(context, { ...input, scopes });
    expect(viewApiKey(key).scope).toBe('messaging:view calls:view');
    await updateApiKey(context, key.keyId, { scopes: view });
    await updateApiKey(context, key.keyId, { name: 'Bea' });
    expect(apiKeys.get(key.keyId)).toMatchObject({ name: 'Bea', scopes: view });
    await updateApiKey(context, key.keyId, { scopes: null });
    expect(apiKeys.get(key.keyId)?.scopes).toBeUndefined();
  });

  it('are left out of a plain key, and of what is shown of it', async () => {
    const { context } = createTestManagement();
    const { key } = await createApiKey(context, input);
    expect(key.scopes).toBeUndefined();
    expect(viewApiKey(key)).not.toHaveProperty('scope');
  });

  it.each<[string, readonly string[], string]>([
    ['none', [], 'scope: received nothing; allowed: one scope or more'],
    ['an unknown one', ['messaging:vew'], 'scope: received "messaging:vew"; allowed: '],
    ['all at once', ['*'], 'scope: received "*"; allowed: '],
  ])('cannot be %s', async (_, scopes, message) => {
    const { context, apiKeys } = createTestManagement();
    await expect(createApiKey(context, { ...input, scopes })).rejects.toThrow(message);
    expect(apiKeys.size).toBe(0);
    const { key } = await createApiKey(context, input);
    await expect(updateApiKey(context, key.keyId, { scopes })).rejects.toThrow(message);
  });

  it('are compared if a creation is sent again', async () => {
    const { context } = createTestManagement();
    const request = { ...input, scopes: view, idempotencyKey: '6f9619ff-8b86-d011' };
    const { key } = await createApiKey(context, request);
    expect(await createApiKey(context, request)).toEqual({
      key,
      value: undefined,
      warnings: openToAll,
    });
    for (const scopes of [undefined, ['calls:view']]) {
      await expect(createApiKey(context, { ...request, scopes })).rejects.toThrow(RefusedError);
    }
  });
});

describe('the rotation of an API key', () => {
  const day = 86_400;

  async function withKey(more: Partial<NewApiKey> = {}) {
    const test = createTestManagement();
    const { context, apiKeys } = test;
    const { key, value = '' } = await createApiKey(context, {
      ...input,
      subnets: [office],
      ...more,
    });
    const now = Math.floor(context.clock() / 1000);
    const keys = { findApiKey: (id: string) => context.apiKeys.find(id) };
    /** What a verifier decides about a value after so many seconds. */
    const decide = async (credential: string, after = 0) => {
      const source = '203.0.113.9';
      const options = { now: now + after };
      try {
        return await verifyApiKey(credential, source, keys, options);
      } catch (error) {
        return error instanceof BearerRefusal ? error.reason : error;
      }
    };
    return { ...test, key, value, now, decide, stored: () => apiKeys.get(key.keyId) };
  }

  it('gives another value, both work for the overlap, and all else stays', async () => {
    const { context, key, value, now, decide, stored, audit } = await withKey();
    const rotated = await rotateApiKey(context, key.keyId, { overlap: 7 * day });
    const { value: next = '' } = rotated;
    expect(readApiKeyId(next)).toBe(key.keyId);
    expect(rotated.key).toMatchObject({ name: key.name, subnets: key.subnets, stops: undefined });
    expect(viewApiKey(rotated.key).old_values).toEqual([
      { value_id: key.keyId, expires_at: formatTime(now + 7 * day) },
    ]);
    for (const one of [value, next]) {
      expect(await decide(one, 7 * day - 1)).toMatchObject({ keyId: key.keyId });
    }
    expect(await decide(value, 7 * day)).toBe('api_key_expired');
    expect(await decide(next, 7 * day)).toMatchObject({ keyId: key.keyId });
    expect(JSON.stringify([stored(), audit])).not.toContain(next);
    expect(JSON.stringify(audit)).not.toContain(key.hash);
  });

  it('with an overlap of 0 ends every other value at once', async () => {
    const { context, key, value, decide, stored } = await withKey();
    const { value: second = '' } = await rotateApiKey(context, key.keyId, { overlap: day });
    const { value: third = '' } = await rotateApiKey(context, key.keyId, { overlap: 0 });
    expect([await decide(value), await decide(second)]).toEqual(['api_key_wrong', 'api_key_wrong']);
    expect(await decide(third)).toMatchObject({ keyId: key.keyId });
    expect(stored()?.oldValues).toBeUndefined();
  });

  it('lets every old value end with the key, and the key have another end', async () => {
    const { context, key, value, now, decide } = await withKey();
    const { value: second = '' } = await rotateApiKey(context, key.keyId, { overlap: 7 * day });
    await updateApiKey(context, key.keyId, { expiresAt: now + 60 });
    const rotation = { overlap: day, expiresAt: now + 90 * day };
    const { value: next = '' } = await rotateApiKey(context, key.keyId, rotation);
    for (const old of [value, second]) {
      expect(await decide(old, 59)).toMatchObject({ keyId: key.keyId });
      expect(await decide(old, 60)).toBe('api_key_expired');
    }
    await updateApiKey(context, key.keyId, { expiresAt: now + 30 });
    expect([await decide(value, 30), await decide(next, 30)]).toEqual([
      'api_key_expired',
      'api_key_expired',
    ]);
  });

  it('can be made again if its answer was lost: no value that is in use ends early', async () => {
    const { context, key, value, decide } = await withKey();
    const rotation = { overlap: day, idempotencyKey: '6f9619ff-8b86-d011' };
    const { value: lost = '' } = await rotateApiKey(context, key.keyId, rotation);
    const repeated = await rotateApiKey(context, key.keyId, rotation);
    expect(repeated.value).toBeUndefined();
    const { value: next = '' } = await rotateApiKey(context, key.keyId, { overlap: day });
    for (const one of [value, lost, next]) expect(await decide(one, day - 1)).toBeTypeOf('object');
    expect((await rotateApiKey(context, key.keyId, rotation)).value).toBeUndefined();
    await updateApiKey(context, key.keyId, { endOldValues: true });
    expect([await decide(value), await decide(next)]).toEqual([
      'api_key_wrong',
      expect.objectContaining({ keyId: key.keyId }),
    ]);
  });

  it('is not made again with its idempotency key once its value has ended', async () => {
    const { context, key, value, decide, stored } = await withKey();
    const rotation = { overlap: 0, idempotencyKey: '6f9619ff-8b86-d011' };
    const { valueId } = (await rotateApiKey(context, key.keyId, rotation)).key;
    const { value: next = '' } = await rotateApiKey(context, key.keyId, { overlap: 0 });
    expect((await rotateApiKey(context, key.keyId, rotation)).value).toBeUndefined();
    expect(await decide(next)).toMatchObject({ keyId: key.keyId });
    for (let count = 0; count < 40; count += 1) {
      await rotateApiKey(context, key.keyId, { overlap: 0, idempotencyKey: `rotation-${count}` });
    }
    expect(stored()?.rotationIds?.length).toBe(16);
    // By now it is forgotten: what it makes is no value that there ever was.
    const again = await rotateApiKey(context, key.keyId, rotation);
    expect(again.key.valueId).not.toBe(valueId);
    expect(await decide(value)).toBe('api_key_wrong');
  });

  it('happens once of two at the same time with one idempotency key, and is a conflict otherwise', async () => {
    const { context, key } = await withKey();
    const rotation = { overlap: day, idempotencyKey: '6f9619ff-8b86-d011' };
    const both = await Promise.all([1, 2].map(() => rotateApiKey(context, key.keyId, rotation)));
    expect(both.filter(({ value }) => value !== undefined)).toHaveLength(1);
    const two = await Promise.allSettled(
      [1, 2].map(() => rotateApiKey(context, key.keyId, { overlap: day })),
    );
    expect(two.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('leaves at most four old values that still work', async () => {
    const { context, key } = await withKey();
    for (let count = 0; count < 4; count += 1) {
      await rotateApiKey(context, key.keyId, { overlap: day });
    }
    await expect(rotateApiKey(context, key.keyId, { overlap: day })).rejects.toThrow(
      `${key.keyId} has 4 old values that still work, the most that are allowed`,
    );
    expect((await rotateApiKey(context, key.keyId, { overlap: 0 })).value).toBeDefined();
  });

  it('is refused for a key that is disabled or has expired', async () => {
    const { context, key, apiKeys, now } = await withKey();
    await setApiKeyEnabled(context, key.keyId, false);
    await expect(rotateApiKey(context, key.keyId, { overlap: day })).rejects.toThrow(
      new RefusedError(`${key.keyId} is disabled; enable it before it is rotated`),
    );
    apiKeys.set(key.keyId, { ...key, expiresAt: now });
    await expect(rotateApiKey(context, key.keyId, { overlap: day })).rejects.toThrow(
      `${key.keyId} has expired; it cannot be extended. Create a new API key`,
    );
  });

  it.each<[string, object, string]>([
    ['an overlap below zero', { overlap: -1 }, 'expire_old_in: received -1'],
    ['no overlap', {}, 'expire_old_in: received nothing'],
    ['an end in the past', { overlap: 0, expiresAt: 1 }, 'allowed: a time in the future'],
  ])('refuses %s', async (_, rotation, message) => {
    const { context, key, stored } = await withKey();
    await expect(rotateApiKey(context, key.keyId, rotation as never)).rejects.toThrow(message);
    expect(stored()).toEqual(key);
  });
});
