import type { ApiKey } from '../api-key/api-key.ts';
import { collect } from '../collect.ts';
import { formatApiKeyValue, secretBytes } from '../credential/credential-value.ts';
import { hashSecret } from '../credential/secret-hash.ts';
import { ConflictError, NotFoundError, RefusedError } from '../errors.ts';
import { viewApiKey } from './api-key-view.ts';
import { makeAuditedChange } from './audited-change.ts';
import { byNameThen } from './by-name.ts';
import { idForCreation } from './idempotency.ts';
import { parseId, parseName, parseServiceTrunkGroup } from './input-fields.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { addToList, buildSubnet, type NewSubnet } from './subnet-list.ts';

export interface NewApiKey {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /** True where left out. */
  readonly enabled?: boolean | undefined;
  /** Sources that may use the key; none: every source. */
  readonly subnets?: readonly NewSubnet[] | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  /** The only copy. Undefined where an earlier call with the same idempotency key had it. */
  readonly value: string | undefined;
}

/** @throws {NotFoundError} where there is no such key. */
export async function findApiKey(context: ManagementContext, keyId: string): Promise<ApiKey> {
  const found = await context.apiKeys.findApiKey(parseId('apiKey', keyId, 'key_id'));
  if (found === undefined) throw new NotFoundError('API key', keyId);
  return found;
}

/** Every API key, by name. */
export async function listApiKeys(context: ManagementContext): Promise<readonly ApiKey[]> {
  const keys = await collect(context.apiKeys.listApiKeys());
  return keys.sort(byNameThen((key) => key.keyId));
}

function buildApiKey(
  context: ManagementContext,
  input: NewApiKey,
): { readonly key: ApiKey; readonly value: string } {
  const now = currentTime(context);
  const keyId = idForCreation(context, 'apiKey', input.idempotencyKey);
  const value = formatApiKeyValue(keyId, context.drawBytes(secretBytes));
  const key: ApiKey = {
    keyId,
    hash: hashSecret(value),
    name: parseName(input.name),
    enabled: input.enabled ?? true,
    serviceTrunkGroup: parseServiceTrunkGroup(input.serviceTrunkGroup),
    subnets: (input.subnets ?? [])
      .map((subnet) => buildSubnet(context, subnet))
      .reduce(addToList, []),
    version: 1,
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
  return stored.version > 1 || key(stored) === key(wanted);
}

async function findEarlier(
  context: ManagementContext,
  input: NewApiKey,
  wanted: ApiKey,
): Promise<CreatedApiKey | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const stored = await context.apiKeys.findApiKey(wanted.keyId);
  if (stored === undefined) return undefined;
  if (isSameRequest(stored, wanted)) return { key: stored, value: undefined };
  throw new RefusedError(
    'this idempotency key was used to create an API key with other values; use a new one',
  );
}

/** @throws {InputError} for a field that is not allowed. */
export async function createApiKey(
  context: ManagementContext,
  input: NewApiKey,
): Promise<CreatedApiKey> {
  const { key, value } = buildApiKey(context, input);
  const earlier = await findEarlier(context, input, key);
  if (earlier !== undefined) return earlier;
  try {
    await makeAuditedChange(
      context,
      { action: 'api_key.create', subject: key.keyId, after: viewApiKey(key) },
      () => context.apiKeys.createApiKey(key),
    );
  } catch (error) {
    const raced =
      error instanceof ConflictError ? await findEarlier(context, input, key) : undefined;
    if (raced === undefined) throw error;
    return raced;
  }
  return { key, value };
}

/** Writes a key's next version. @throws {ConflictError} where it changed meanwhile. */
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

export async function renameApiKey(
  context: ManagementContext,
  keyId: string,
  name: string,
): Promise<ApiKey> {
  const before = await findApiKey(context, keyId);
  return writeApiKey(context, before, 'api_key.rename', { name: parseName(name) });
}

export async function setApiKeyEnabled(
  context: ManagementContext,
  keyId: string,
  enabled: boolean,
): Promise<ApiKey> {
  const before = await findApiKey(context, keyId);
  if (before.enabled === enabled) return before;
  return writeApiKey(context, before, enabled ? 'api_key.enable' : 'api_key.disable', { enabled });
}

export async function deleteApiKey(context: ManagementContext, key: ApiKey): Promise<void> {
  await makeAuditedChange(
    context,
    { action: 'api_key.delete', subject: key.keyId, before: viewApiKey(key) },
    () => context.apiKeys.deleteApiKey(key.keyId, key.version),
  );
}
