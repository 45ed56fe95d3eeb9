import { formatTime } from '../../rfc3339.ts';
import type { GrantLimits, TrunkGroupLimits } from '../../trunk-group/trunk-group-limits.ts';

const wireNames = {
  scopes: 'scopes',
  maxClients: 'max_clients',
  maxApiKeys: 'max_api_keys',
  maxTokenLifetime: 'max_token_lifetime',
  maxSecretLifetime: 'max_secret_lifetime',
  requireSubnet: 'require_subnet',
  providers: 'providers',
  ownProviders: 'own_providers',
} as const satisfies Readonly<Record<keyof GrantLimits, string>>;

export const limitNames = Object.keys(wireNames) as (keyof GrantLimits)[];

/** A limit by its name on the wire. */
export function wireNameOf(limit: string): string {
  return (wireNames as Readonly<Record<string, string>>)[limit] ?? limit;
}

/** The limits of a trunk group as they are shown. */
export function viewTrunkGroupLimits(limits: TrunkGroupLimits): Record<string, unknown> {
  return {
    service_trunk_group: limits.serviceTrunkGroup,
    ...Object.fromEntries(limitNames.map((name) => [wireNames[name], limits[name]])),
    updated_at: limits.updatedAt === undefined ? undefined : formatTime(limits.updatedAt),
    version: limits.version,
  };
}
