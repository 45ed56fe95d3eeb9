import { newApiKey } from '../../contract/management/inputs.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import { formatApiKeyValue, secretBytes } from '../credential/credential-value.ts';
import { hashSecret } from '../credential/secret-hash.ts';
import { ConflictError, IdempotencyKeyReusedError, NotFoundError } from '../errors.ts';
import { firstVersion, isFirstVersion } from '../record-version.ts';
import { viewApiKey } from './api-key-view.ts';
import { makeAuditedChange } from './audited-change.ts';
import { idForCreation, keysWithin } from './idempotency.ts';
import { checkVersion, type IfVersion } from './if-version.ts';
import { parseId, parseName } from './input-fields.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { optional, readBoolean, readFields, readList, within } from './read-input.ts';
import { addToList, buildSubnet, type NewSubnet } from './subnet-list.ts';
import { parseOwnTrunkGroup } from './trunk-group-limit.ts';

export interface NewApiKey {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /** True if left out. */
  readonly enabled?: boolean | undefined;
  /** Subnets that may use the key. None: every address. */
  readonly subnets?: readonly NewSubnet[] | undefined;
  readonly idempotencyKey?: string | undefined;
}

type GivenKey = Readonly<Record<keyof NewApiKey, unknown>>;

export interface CreatedApiKey {
  readonly key: ApiKey;
  /** The only copy. Undefined if an earlier call with the same idempotency key had it. */
  readonly value: string | undefined;
}

/** @throws {NotFoundError} if there is no such key. */
export async function findApiKey(context: ManagementContext, keyId: string): Promise<ApiKey> {
  const found = await context.apiKeys.findApiKey(parseId('apiKey', keyId, 'keyId'));
  if (found === undefined) throw new NotFoundError('API key', keyId);
  return found;
}

function buildSubnets(context: ManagementContext, value: unknown): ApiKey['subnets'] {
  return readList('subnets', value)
    .map((subnet, index) => within(`subnets[${index}]`, () => buildSubnet(context, subnet)))
    .reduce(addToList, []);
}

function buildApiKey(
  context: ManagementContext,
  input: GivenKey,
): { readonly key: ApiKey; readonly value: string } {
  const now = currentTime(context);
  const name = parseName(input.name);
  const serviceTrunkGroup = parseOwnTrunkGroup(context, input.serviceTrunkGroup);
  const parent = keysWithin(context, serviceTrunkGroup);
  const keyId = idForCreation(context, 'apiKey', input.idempotencyKey, parent);
  const value = formatApiKeyValue(keyId, context.drawBytes(secretBytes));
  const key: ApiKey = {
    keyId,
    hash: hashSecret(value),
    name,
    enabled: optional(input.enabled, (value) => readBoolean('enabled', value)) ?? true,
    serviceTrunkGroup,
    subnets: optional(input.subnets, (value) => buildSubnets(context, value)) ?? [],
    version: firstVersion(context.drawBytes),
    createdAt: now,
    updatedAt: now,
  };
  return { key, value };
}

function isSameRequest(stored: ApiKey, wanted: ApiKey): boolean {
  const key = ({ name, enabled, serviceTrunkGroup, subnets }: ApiKey) =>
    JSON.stringify([
      name,
      enabled,
      serviceTrunkGroup,
      subnets.map((subnet) => [subnet.name, subnet.address, subnet.prefixLength]),
    ]);
  return !isFirstVersion(stored.version) || key(stored) === key(wanted);
}

async function findEarlier(
  context: ManagementContext,
  input: GivenKey,
  wanted: ApiKey,
): Promise<CreatedApiKey | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const stored = await context.apiKeys.findApiKey(wanted.keyId);
  if (stored === undefined) return undefined;
  if (isSameRequest(stored, wanted)) return { key: stored, value: undefined };
  throw new IdempotencyKeyReusedError(
    'this idempotency key was used to create an API key with other values; use a new one',
  );
}

/** @throws {InputError} for a field that is not allowed. */
export async function createApiKey(
  context: ManagementContext,
  input: NewApiKey,
): Promise<CreatedApiKey> {
  const given: GivenKey = readFields('apiKey', input, newApiKey.fields);
  const { key, value } = buildApiKey(context, given);
  const earlier = await findEarlier(context, given, key);
  if (earlier !== undefined) return earlier;
  try {
    await makeAuditedChange(
      context,
      { action: 'api_key.create', subject: key.keyId, after: viewApiKey(key) },
      () => context.apiKeys.createApiKey(key),
    );
  } catch (error) {
    const raced =
      error instanceof ConflictError ? await findEarlier(context, given, key) : undefined;
    if (raced === undefined) throw error;
    return raced;
  }
  return { key, value };
}

/** Writes a key's next version. @throws {ConflictError} if it was changed in the meantime. */
export async function writeApiKey(
  context: ManagementContext,
  before: ApiKey,
  action: string,
  changes: Partial<ApiKey>,
): Promise<ApiKey> {
  const next: ApiKey = {
    ...before,
    ...changes,
    version: before.version + 1,
    updatedAt: currentTime(context),
  };
  await makeAuditedChange(
    context,
    { action, subject: before.keyId, before: viewApiKey(before), after: viewApiKey(next) },
    () => context.apiKeys.replaceApiKey(next),
  );
  return next;
}

/** Finds a key that is about to be changed, if it still has the version that the caller has seen. */
export async function findApiKeyToChange(
  context: ManagementContext,
  keyId: string,
  ifVersion: unknown,
): Promise<ApiKey> {
  const key = await findApiKey(context, keyId);
  checkVersion(`the API key ${key.keyId}`, ifVersion, key.version);
  return key;
}

export async function renameApiKey(
  context: ManagementContext,
  keyId: string,
  name: string,
  options: IfVersion = {},
): Promise<ApiKey> {
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  const next = parseName(name);
  const before = await findApiKeyToChange(context, keyId, ifVersion);
  return writeApiKey(context, before, 'api_key.rename', { name: next });
}

export async function setApiKeyEnabled(
  context: ManagementContext,
  keyId: string,
  enabled: boolean,
  options: IfVersion = {},
): Promise<ApiKey> {
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  readBoolean('enabled', enabled);
  const before = await findApiKeyToChange(context, keyId, ifVersion);
  if (before.enabled === enabled) return before;
  return writeApiKey(context, before, enabled ? 'api_key.enable' : 'api_key.disable', { enabled });
}

/** @returns the key as it was. */
export async function deleteApiKey(
  context: ManagementContext,
  keyId: string,
  options: IfVersion = {},
): Promise<ApiKey> {
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  const key = await findApiKeyToChange(context, keyId, ifVersion);
  await makeAuditedChange(
    context,
    { action: 'api_key.delete', subject: key.keyId, before: viewApiKey(key) },
    () => context.apiKeys.deleteApiKey(key.keyId, key.version),
  );
  return key;
}
