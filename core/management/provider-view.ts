import { formatTime } from '../rfc3339.ts';
import type { ManagedProvider } from './provider-reach.ts';

/** A registered provider as it is shown, with the names of OpenID Connect Discovery 1.0 §3. */
export function viewIdentityProvider(provider: ManagedProvider): Record<string, unknown> {
  return {
    issuer: provider.issuer,
    registration_id: provider.registrationId,
    discovery_url: provider.discoveryUrl,
    jwks_uri: provider.jwksUri,
    allowed_algorithms: provider.allowedAlgorithms,
    client_id_claim: provider.clientIdClaim,
    audience_from: provider.audienceFrom,
    client_patterns: provider.clientPatterns,
    registered_at: formatTime(provider.registeredAt),
    service_trunk_groups: provider.owner?.trunkGroups,
    owner_version: provider.owner?.version,
  };
}
