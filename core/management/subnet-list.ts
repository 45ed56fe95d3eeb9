import { maxSubnetsPerApiKey } from '../../contract/limits.ts';
import type { ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr, type Subnet } from '../api-key/subnet.ts';
import { RefusedError } from '../errors.ts';
import { parseName } from './input-fields.ts';
import { type ManagementContext, newId } from './management-context.ts';

/** A subnet as a person gives it, its address and netmask parsed. */
export interface NewSubnet {
  readonly name: string;
  readonly subnet: Subnet;
}

export function buildSubnet(context: ManagementContext, input: NewSubnet): ApiKeySubnet {
  return {
    subnetId: newId(context, 'subnet'),
    name: parseName(input.name, 'subnet name'),
    ...input.subnet,
  };
}

/** @throws {RefusedError} where the list has the subnet, or is full. */
export function addToList(
  list: readonly ApiKeySubnet[],
  added: ApiKeySubnet,
): readonly ApiKeySubnet[] {
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
