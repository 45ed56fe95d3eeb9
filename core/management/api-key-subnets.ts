import type { ApiKey, ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr } from '../api-key/subnet.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { findApiKeyToChange, writeApiKey } from './api-keys.ts';
import type { IfVersion } from './if-version.ts';
import { parseId } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';
import { optional, readBoolean, readFields } from './read-input.ts';
import { addToList, buildSubnet, type NewSubnet } from './subnet-list.ts';

/**
 * Lets one more subnet use a key. The first subnet of a key shuts out every other address.
 *
 * @throws {InputError} for an address or a netmask that is not valid.
 * @throws {RefusedError} if the key has the subnet, or as many as are allowed.
 */
export async function addSubnet(
  context: ManagementContext,
  keyId: string,
  input: NewSubnet & IfVersion,
): Promise<{ readonly key: ApiKey; readonly subnet: ApiKeySubnet }> {
  const given = readFields('subnet', input, ['name', 'address', 'netmask', 'ifVersion']);
  const { ifVersion, ...fields } = given;
  const subnet = buildSubnet(context, fields);
  const before = await findApiKeyToChange(context, keyId, ifVersion);
  const subnets = addToList(before.subnets, subnet);
  const key = await writeApiKey(context, before, 'api_key_subnet.add', { subnets });
  return { key, subnet };
}

/** @throws {NotFoundError} if the key has no such subnet. */
export function findSubnet(key: Pick<ApiKey, 'keyId' | 'subnets'>, subnetId: string): ApiKeySubnet {
  parseId('subnet', subnetId, 'subnetId');
  const found = key.subnets.find((subnet) => subnet.subnetId === subnetId);
  if (found === undefined) throw new NotFoundError(`subnet of ${key.keyId}`, subnetId);
  return found;
}

export interface RemoveSubnetOptions extends IfVersion {
  /** Whether the list may become empty. Then every address may use the key. */
  readonly allowAnySource?: boolean | undefined;
}

/**
 * Removes a subnet from a key's list.
 *
 * @throws {RefusedError} if it is the last one, unless `allowAnySource` is true.
 */
export async function removeSubnet(
  context: ManagementContext,
  keyId: string,
  subnetId: string,
  options: RemoveSubnetOptions = {},
): Promise<ApiKey> {
  const given = readFields('options', options, ['allowAnySource', 'ifVersion']);
  const allowAnySource = optional(given.allowAnySource, (value) =>
    readBoolean('allowAnySource', value),
  );
  const before = await findApiKeyToChange(context, keyId, given.ifVersion);
  const removed = findSubnet(before, subnetId);
  const subnets = before.subnets.filter((subnet) => subnet !== removed);
  if (subnets.length === 0 && allowAnySource !== true) {
    throw new RefusedError(
      `${formatCidr(removed)} is the last subnet of ${keyId}: without it, every source may use the key. Allow any source (--allow-any-source) if that is meant, or disable the key`,
    );
  }
  return writeApiKey(context, before, 'api_key_subnet.remove', { subnets });
}
