import { maxOldValues, maxRotationIds, maxSubnetsPerApiKey } from '../../contract/bounds.ts';
import type { RuleFacts } from '../../contract/management/fields.ts';
import type { OperationInput } from '../../contract/management/operations.ts';
import { idForm } from '../../contract/management/rules.ts';
import {
  type ApiKey,
  type ApiKeySubnet,
  type ApiKeyWithUse,
  type OldValue,
  valueIdOf,
} from '../api-key/api-key.ts';
import { formatCidr, parseCidr, parseSubnet, type Subnet } from '../api-key/subnet.ts';
import { warnAboutAdded } from '../api-key/subnet-warnings.ts';
import { expiresWithin as doesExpireWithin } from '../client/secret-attention.ts';
import {
  formatApiKeyValue,
  hashSecret,
  isId,
  secretBytes,
} from '../credential/credential-value.ts';
import {
  IdempotencyKeyReusedError,
  InputError,
  NotFoundError,
  RefusedError,
  UnavailableError,
} from '../errors.ts';
import { firstVersion, isFirstVersion } from '../record-version.ts';
import { isEnabled, type Stop } from '../stops.ts';
import { viewApiKey } from './api-key-view.ts';
import { createOnce, findIfOvertaken, idForCreation, keysWithin } from './idempotency.ts';
import { checkVersion } from './if-version.ts';
import { checkCanBeExtended, checkName, nextExpiry, scopesInOrder } from './input-fields.ts';
import { type Page, readOwnedItemsFilter } from './list-query.ts';
import { currentTime, type ManagementContext, newId, newStop } from './management-context.ts';
import { manageOwned } from './owned-records.ts';
import { refuseInput } from './read-input.ts';

/** A subnet as a person gives it. */
export type NewSubnet = Omit<OperationInput<'addSubnet', 'subnet'>, 'ifVersion'>;

/** What is wrong with the prefix is wrong with the field that it was typed into. */
function readCidr(address: string): Subnet {
  try {
    return parseCidr(address);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.problem, { field: 'address', label: error.label });
  }
}

/** @throws {InputError} for an address or a netmask that is not valid. */
function readSubnet(address: string, netmask: NewSubnet['netmask'] = ''): Subnet {
  const mask = String(netmask);
  if (mask === '') return readCidr(address);
  const [plain = '', prefix] = address.split('/');
  const subnet = parseSubnet(plain, mask);
  if (prefix === undefined || formatCidr(readCidr(address)) === formatCidr(subnet)) return subnet;
  return refuseInput('netmask', netmask, 'none, as the address has another prefix length');
}

/** What is wrong with a subnet, for the contract, which reads no addresses. */
export const findWrongSubnet: RuleFacts['findWrongSubnet'] = ({ address, netmask }) => {
  try {
    readSubnet(address.trim(), netmask);
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field = 'address', problem } = error;
    return { field, problem };
  }
};

function buildSubnet(
  context: ManagementContext,
  { name, address, netmask }: NewSubnet,
): ApiKeySubnet {
  return { subnetId: newId(context, 'subnet'), name, ...readSubnet(address, netmask) };
}

/** @throws {RefusedError} if the list has the subnet, or is full. */
function addToList(list: readonly ApiKeySubnet[], added: ApiKeySubnet): readonly ApiKeySubnet[] {
  const same = list.find((one) => formatCidr(one) === formatCidr(added));
  if (same !== undefined) {
    throw new RefusedError(
      `the subnet ${formatCidr(added)} is in the list already, as ${JSON.stringify(same.name)}`,
    );
  }
  if (list.length >= maxSubnetsPerApiKey) {
    throw new RefusedError(`a key has at most ${maxSubnetsPerApiKey} subnets; remove one first`);
  }
  return [...list, added];
}

export type NewApiKey = OperationInput<'createApiKey', 'apiKey'>;

export interface CreatedApiKey {
  readonly key: ApiKey;
  /** The only copy. Undefined if an earlier call with the same idempotency key had it. */
  readonly value: string | undefined;
  /** What a person should know of its subnets: that they limit nothing, for example. */
  readonly warnings?: readonly string[] | undefined;
}

/** What API keys have in common with clients. */
export const ownedApiKeys = manageOwned<ApiKey>({
  noun: 'API key',
  idKind: 'apiKey',
  audited: 'api_key',
  idOf: ({ keyId }) => keyId,
  storeOf: ({ apiKeys }) => apiKeys,
  view: viewApiKey,
});

export const { get: getApiKey, write: writeApiKey } = ownedApiKeys;

/** In the order of the catalogue; undefined for every scope. */
function toScopes({ config }: ManagementContext, scopes: NewApiKey['scopes'] | null) {
  return scopes ? scopesInOrder(config, scopes) : undefined;
}

function buildApiKey(
  context: ManagementContext,
  input: NewApiKey,
  stop: Stop,
): { readonly key: ApiKey; readonly value: string } {
  const now = currentTime(context);
  const { name, serviceTrunkGroup, enabled = true, subnets = [], idempotencyKey } = input;
  const parent = keysWithin(context, serviceTrunkGroup);
  const keyId = idForCreation(context, 'apiKey', idempotencyKey, parent);
  const value = formatApiKeyValue(keyId, context.drawBytes(secretBytes));
  const key: ApiKey = {
    keyId,
    hash: hashSecret(value),
    name,
    stops: enabled ? undefined : { person: stop },
    serviceTrunkGroup,
    subnets: subnets.map((subnet) => buildSubnet(context, subnet)).reduce(addToList, []),
    scopes: toScopes(context, input.scopes),
    expiresAt: input.expiresAt,
    version: firstVersion(context.drawBytes),
    createdAt: now,
    updatedAt: now,
  };
  return { key, value };
}

/** The end is not compared: "in 90 days" is another time when the request is sent again. */
function isSameRequest(stored: ApiKey, requested: ApiKey): boolean {
  const key = ({ name, stops, serviceTrunkGroup, subnets, scopes }: ApiKey) =>
    JSON.stringify([
      name,
      isEnabled({ stops }),
      serviceTrunkGroup,
      scopes,
      subnets.map((subnet) => [subnet.name, subnet.address, subnet.prefixLength]),
    ]);
  return !isFirstVersion(stored.version) || key(stored) === key(requested);
}

async function findEarlier(
  context: ManagementContext,
  input: NewApiKey,
  requested: ApiKey,
): Promise<CreatedApiKey | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const stored = await context.apiKeys.find(requested.keyId);
  if (stored === undefined) return undefined;
  if (isSameRequest(stored, requested)) return { key: stored, value: undefined };
  throw new IdempotencyKeyReusedError(
    'this idempotency key was used to create an API key with other values; use a new one',
  );
}

export async function createApiKey(
  context: ManagementContext,
  input: NewApiKey,
): Promise<CreatedApiKey> {
  const { key, value } = buildApiKey(context, input, await newStop(context));
  const created = await createOnce<CreatedApiKey>(
    () => findEarlier(context, input, key),
    async () => {
      await ownedApiKeys.create(context, key);
      return { key, value };
    },
  );
  return { ...created, warnings: warnAboutAdded(input.subnets ?? [], key.subnets) };
}

export async function updateApiKey(
  context: ManagementContext,
  keyId: string,
  changes: OperationInput<'updateApiKey', 'changes'>,
): Promise<ApiKey> {
  const { name, scopes, expiresAt } = changes;
  const before = await ownedApiKeys.getToChange(context, keyId, changes);
  checkName(before, name);
  const now = currentTime(context);
  return writeApiKey(context, before, 'api_key.update', {
    name: name ?? before.name,
    scopes: scopes === undefined ? before.scopes : toScopes(context, scopes),
    expiresAt: nextExpiry(before, expiresAt, { id: keyId, what: 'API key', now }),
    oldValues: changes.endOldValues === true ? undefined : before.oldValues,
  });
}

/** What works of the old values, each no longer than to a time. */
function endOldValues(key: ApiKey, now: number, end: number): readonly OldValue[] {
  return (key.oldValues ?? [])
    .filter(({ expiresAt }) => expiresAt > now)
    .map((old) => ({ ...old, expiresAt: Math.min(old.expiresAt, end) }));
}

async function replaceValue(
  context: ManagementContext,
  keyId: string,
  input: OperationInput<'rotateApiKey', 'rotation'>,
): Promise<CreatedApiKey> {
  const before = await getApiKey(context, keyId);
  const { rotationIds = [] } = before;
  const rotationId = idForCreation(context, 'secret', input.idempotencyKey, `${keyId}/rotation`);
  if (rotationIds.includes(rotationId)) return { key: before, value: undefined };
  checkVersion(`the API key ${keyId}`, input.ifVersion, before.version);
  const now = currentTime(context);
  checkCanBeExtended(keyId, before.expiresAt, { now, what: 'API key' });
  if (!isEnabled(before)) {
    throw new RefusedError(`${keyId} is disabled; enable it before it is rotated`);
  }
  const end = Math.min(now + input.overlap, before.expiresAt ?? Number.POSITIVE_INFINITY);
  const old = endOldValues(before, now, end);
  if (input.overlap > 0 && old.length >= maxOldValues) {
    throw new RefusedError(
      `${keyId} has ${old.length} old values that still work, the most that are allowed; end them first (--end-old-values), or rotate with an overlap of 0`,
    );
  }
  const value = formatApiKeyValue(keyId, context.drawBytes(secretBytes));
  const replaced = { valueId: valueIdOf(before), hash: before.hash, expiresAt: end };
  const key = await writeApiKey(context, before, 'api_key.rotate', {
    hash: hashSecret(value),
    // Never derived: a restore would take an ended value for another one with its id.
    valueId: newId(context, 'secret'),
    rotationIds:
      input.idempotencyKey === undefined
        ? before.rotationIds
        : [...rotationIds, rotationId].slice(-maxRotationIds),
    oldValues: input.overlap > 0 ? [...old, replaced] : undefined,
    expiresAt: input.expiresAt ?? before.expiresAt,
  });
  return { key, value };
}

/** An old value that ends sooner than the overlap keeps its end. */
export const rotateApiKey = findIfOvertaken(replaceValue);

export const setApiKeyEnabled = ownedApiKeys.setEnabled;

export const deleteApiKey = ownedApiKeys.removeById;

/**
 * One page of API keys. A text that is a full id finds that key with one read.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listApiKeys(
  context: ManagementContext,
  filter: OperationInput<'listApiKeys', 'filter'> = {},
): Promise<Page<ApiKey>> {
  const { anySource, expiresWithin: soon } = filter;
  const now = currentTime(context);
  const isWithin = (key: ApiKey) =>
    soon === undefined || (isEnabled(key) && doesExpireWithin(key, soon, now));
  const matches = (key: ApiKey) =>
    (anySource === undefined || (key.subnets.length === 0) === anySource) && isWithin(key);
  return ownedApiKeys.list(context, {
    ...readOwnedItemsFilter(filter),
    matches: (anySource ?? soon) === undefined ? undefined : matches,
  });
}

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
  const key = await getApiKey(context, keyId);
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

export async function addSubnet(
  context: ManagementContext,
  keyId: string,
  input: OperationInput<'addSubnet', 'subnet'>,
): Promise<{
  readonly key: ApiKey;
  readonly subnet: ApiKeySubnet;
  readonly warnings: readonly string[];
}> {
  const subnet = buildSubnet(context, input);
  const before = await ownedApiKeys.getToChange(context, keyId, input);
  const subnets = addToList(before.subnets, subnet);
  const key = await writeApiKey(context, before, 'api_key_subnet.add', { subnets });
  return { key, subnet, warnings: warnAboutAdded([input], [subnet], subnets) };
}

/** @throws {NotFoundError} if the key has no such subnet. */
export function getSubnet(key: Pick<ApiKey, 'keyId' | 'subnets'>, subnetId: string): ApiKeySubnet {
  const found = key.subnets.find((subnet) => subnet.subnetId === subnetId);
  if (found !== undefined) return found;
  if (!isId('subnet', subnetId)) refuseInput('subnetId', subnetId, idForm('subnet'));
  throw new NotFoundError(`subnet of ${key.keyId}`, subnetId);
}

export async function removeSubnet(
  context: ManagementContext,
  keyId: string,
  subnetId: string,
  options: OperationInput<'removeSubnet', 'options'> = {},
): Promise<ApiKey> {
  const before = await ownedApiKeys.getToChange(context, keyId, options);
  const removed = getSubnet(before, subnetId);
  const subnets = before.subnets.filter((subnet) => subnet !== removed);
  if (subnets.length === 0 && options.allowAnySource !== true) {
    throw new RefusedError(
      `${formatCidr(removed)} is the last subnet of ${keyId}: without it, every source may use the key. Allow any source (--allow-any-source) if that is meant, or disable the key`,
    );
  }
  return writeApiKey(context, before, 'api_key_subnet.remove', { subnets });
}
