import type { ApiKeySubnet, ApiKeyWithUse } from '../api-key/api-key.ts';
import { formatNetmask } from '../api-key/subnet.ts';
import { isEnabled, viewStops } from '../stops.ts';
import { formatTime } from '../time.ts';
import type { Shown } from './without-hashes.ts';

export function viewSubnet(subnet: ApiKeySubnet): Record<string, unknown> {
  return {
    subnet_id: subnet.subnetId,
    name: subnet.name,
    address: subnet.address,
    netmask: formatNetmask(subnet),
    prefix_length: subnet.prefixLength,
  };
}

/** An API key as shown: no value or hash. Empty `acl`: every source; no `scope`: every scope. */
export function viewApiKey(key: Omit<Shown<ApiKeyWithUse>, 'enabled'>): Record<string, unknown> {
  return {
    key_id: key.keyId,
    name: key.name,
    enabled: isEnabled(key),
    ...(key.stops !== undefined && { stops: viewStops(key.stops) }),
    service_trunk_group: key.serviceTrunkGroup,
    acl: key.subnets.map(viewSubnet),
    ...(key.scopes !== undefined && { scope: key.scopes.join(' ') }),
    ...(key.valueId !== undefined && { value_id: key.valueId }),
    ...(key.oldValues !== undefined && {
      old_values: key.oldValues.map(({ valueId, expiresAt, lastUsedOn }) => ({
        value_id: valueId,
        expires_at: formatTime(expiresAt),
        ...(lastUsedOn !== undefined && { last_used_on: lastUsedOn }),
      })),
    }),
    ...(key.expiresAt !== undefined && { expires_at: formatTime(key.expiresAt) }),
    ...(key.lastUsedOn !== undefined && { last_used_on: key.lastUsedOn }),
    ...(key.isLastUseUnread && { is_last_use_unread: true }),
    created_at: formatTime(key.createdAt),
    updated_at: formatTime(key.updatedAt),
    version: key.version,
  };
}
