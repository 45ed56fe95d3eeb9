import type * as v from 'valibot';
import { maxSubnetsPerApiKey } from '../../contract/limits.ts';
import type { Facts } from '../../contract/management/fields.ts';
import type { newSubnet } from '../../contract/management/inputs.ts';
import type { ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr, parseCidr, parseSubnet, type Subnet } from '../api-key/subnet.ts';
import { InputError, RefusedError } from '../errors.ts';
import { type ManagementContext, newId } from './management-context.ts';
import { refuseInput } from './read-input.ts';

/** A subnet as a person gives it. */
export type NewSubnet = Omit<v.InferOutput<typeof newSubnet>, 'ifVersion'>;

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
export const findWrongSubnet: Facts['findWrongSubnet'] = ({ address, netmask }) => {
  try {
    readSubnet(address.trim(), netmask);
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field = 'address', label, problem } = error;
    return { field, problem: label === field ? problem : `${label}: ${problem}` };
  }
};

export function buildSubnet(
  context: ManagementContext,
  { name, address, netmask }: NewSubnet,
): ApiKeySubnet {
  return {
    subnetId: newId(context, 'subnet'),
    name,
    ...readSubnet(address, netmask),
  };
}

/** @throws {RefusedError} if the list has the subnet, or is full. */
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
