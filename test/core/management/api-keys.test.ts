import { describe, expect, it } from 'vitest';
import { acceptsSource } from '../../../core/api-key/subnet.ts';
import { readApiKeyId } from '../../../core/credential/credential-value.ts';
import { matchesHash } from '../../../core/credential/secret-hash.ts';
import { ConflictError, InputError, NotFoundError, RefusedError } from '../../../core/errors.ts';
import { viewApiKey } from '../../../core/management/api-key-view.ts';
import type { NewApiKey } from '../../../core/management/api-keys.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  addSubnet,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  removeSubnet,
  renameApiKey,
  setApiKeyEnabled,
} from '../../support/operations.ts';

const input: NewApiKey = { name: 'Ada', serviceTrunkGroup: 'tg-1001' };
const office = { name: 'office', address: '203.0.113.0', netmask: '255.255.255.0' };
const home = { name: 'home', address: '2001:db8::/32' };

describe('creating an API key', () => {
  it('gives the value once and keeps only its hash', async () => {
    const { context, apiKeys, audit } = createTestManagement();
    const { key, value } = await createApiKey(context, input);
    expect(readApiKeyId(value ?? '')).toBe(key.keyId);
    expect(matchesHash(value ?? '', key.hash)).toBe(true);
    expect(key).toMatchObject({ enabled: true, subnets: [] });
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
    expect(key.enabled).toBe(false);
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
    expect((await renameApiKey(context, key.keyId, 'Bea')).name).toBe('Bea');
    expect((await setApiKeyEnabled(context, key.keyId, false)).enabled).toBe(false);
    expect((await setApiKeyEnabled(context, key.keyId, true)).enabled).toBe(true);
    const stale = deleteApiKey(context, key.keyId, { ifVersion: key.version });
    await expect(stale).rejects.toThrow(ConflictError);
    await deleteApiKey(context, key.keyId, { ifVersion: key.version + 3 });
    expect(apiKeys.size).toBe(0);
    expect(
      audit.filter(({ outcome }) => outcome !== 'intended').map((r) => [r.action, r.outcome]),
    ).toEqual([
      ['api_key.create', 'done'],
      ['api_key.rename', 'done'],
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
    await expect(renameApiKey(context, id, 'x')).rejects.toThrow(type);
    await expect(setApiKeyEnabled(context, id, false)).rejects.toThrow(type);
    await expect(addSubnet(context, id, office)).rejects.toThrow(type);
  });

  it('leaves the other keys alone', async () => {
    const { context, apiKeys } = createTestManagement();
    const { key: other } = await createApiKey(context, { ...input, name: 'Other' });
    const { key } = await createApiKey(context, input);
    await setApiKeyEnabled(context, key.keyId, false);
    await addSubnet(context, key.keyId, office);
    await deleteApiKey(context, key.keyId);
    expect([...apiKeys.values()]).toEqual([other]);
    expect((await listApiKeys(context)).items).toEqual([other]);
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
    const remove = (allowAnySource: boolean) =>
      removeSubnet(context, key.keyId, last?.subnetId ?? '', { allowAnySource });
    await expect(remove(false)).rejects.toThrow(
      `2001:db8::/32 is the last subnet of ${key.keyId}: without it, every source may use the key`,
    );
    expect((await remove(true)).subnets).toEqual([]);
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
