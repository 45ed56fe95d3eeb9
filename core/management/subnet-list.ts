import { maxSubnetsPerApiKey } from '../../contract/limits.ts';
import type { Facts } from '../../contract/management/fields.ts';
import type { ApiKeySubnet } from '../api-key/api-key.ts';
import { formatCidr, parseCidr, parseSubnet, type Subnet } from '../api-key/subnet.ts';
import { InputError, RefusedError } from '../errors.ts';
import { parseName } from './input-fields.ts';
import { type ManagementContext, newId } from './management-context.ts';
import { readFields, readText, refuseInput } from './read-input.ts';

/** A subnet as a person gives it. */
export interface NewSubnet {
  readonly name: string;
  /** `203.0.113.0`, or with its prefix `203.0.113.0/24`. IPv4 or IPv6. */
  readonly address: string;
  /**
   * `255.255.255.0`, `24` or `/24`. Left out if the address has a prefix, or stands for itself.
   */
  readonly netmask?: string | number | undefined;
}

const addressHelp = 'an IPv4 or IPv6 address, e.g. 203.0.113.0 or 2001:db8::';
const netmaskHelp = 'a netmask such as 255.255.255.0, or a prefix length such as 24';

function readNetmask(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  return readText('netmask', value, netmaskHelp).trim();
}

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
export function readSubnet(address: string, netmask: unknown): Subnet {
  const mask = netmask === undefined ? '' : readNetmask(netmask);
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
    return { field: error.field ?? 'address', problem: error.problem };
  }
};

/** @throws {InputError} for a name, an address or a netmask that is not valid. */
export function buildSubnet(context: ManagementContext, input: unknown): ApiKeySubnet {
  const given = readFields('subnet', input, ['name', 'address', 'netmask']);
  return {
    subnetId: newId(context, 'subnet'),
    name: parseName(given.name, 'subnet name'),
    ...readSubnet(readText('address', given.address, addressHelp).trim(), given.netmask),
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
