import type * as v from 'valibot';
import type { newSubnet, removeSubnetOptions } from '../../contract/management/inputs.ts';
import { idForm } from '../../contract/management/rules.ts';
import type { ApiKey, ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr } from '../api-key/subnet.ts';
import { warnAboutAdded } from '../api-key/subnet-warnings.ts';
import { isId } from '../credential/credential-value.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { ownedApiKeys, writeApiKey } from './api-keys.ts';
import type { ManagementContext } from './management-context.ts';
import { refuseInput } from './read-input.ts';
import { addToList, buildSubnet } from './subnet-list.ts';

export async function addSubnet(
  context: ManagementContext,
  keyId: string,
  input: v.InferOutput<typeof newSubnet>,
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
  options: v.InferOutput<typeof removeSubnetOptions> = {},
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
