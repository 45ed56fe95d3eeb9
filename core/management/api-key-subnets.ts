import type { ApiKey, ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr } from '../api-key/subnet.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { findApiKey, writeApiKey } from './api-keys.ts';
import { parseId } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';
import { addToList, buildSubnet, type NewSubnet } from './subnet-list.ts';

/**
 * Lets one more subnet use a key. The first one of a key shuts out every other source.
 *
 * @throws {RefusedError} where the key has the subnet, or as many as are allowed.
 */
export async function addSubnet(
  context: ManagementContext,
  keyId: string,
  input: NewSubnet,
): Promise<{ readonly key: ApiKey; readonly subnet: ApiKeySubnet }> {
  const before = await findApiKey(context, keyId);
  const subnet = buildSubnet(context, input);
  const subnets = addToList(before.subnets, subnet);
  const key = await writeApiKey(context, before, 'api_key_subnet.add', { subnets });
  return { key, subnet };
}

export function findSubnet(key: ApiKey, subnetId: string): ApiKeySubnet {
  parseId('subnet', subnetId, 'subnet_id');
  const found = key.subnets.find((subnet) => subnet.subnetId === subnetId);
  if (found === undefined) throw new NotFoundError(`subnet of ${key.keyId}`, subnetId);
  return found;
}

/**
 * Takes a subnet out of a key's list.
 *
 * @param allowAnySource whether the list may become empty, which opens the key to every source.
 * @throws {RefusedError} where it would and may not.
 */
export async function removeSubnet(
  context: ManagementContext,
  keyId: string,
  subnetId: string,
  allowAnySource: boolean,
): Promise<ApiKey> {
  const before = await findApiKey(context, keyId);
  const removed = findSubnet(before, subnetId);
  const subnets = before.subnets.filter((subnet) => subnet !== removed);
  if (subnets.length === 0 && !allowAnySource) {
    throw new RefusedError(
      `${formatCidr(removed)} is the last subnet of ${keyId}: without it, every source may use the key. Say --allow-any-source if that is meant, or disable the key`,
    );
  }
  return writeApiKey(context, before, 'api_key_subnet.remove', { subnets });
}
