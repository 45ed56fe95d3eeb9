import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { formatTime } from '../rfc3339.ts';

/** A registered provider as it is shown, with the names of OpenID Connect Discovery 1.0 §3. */
export function viewIdentityProvider(provider: IdentityProvider): Record<string, unknown> {
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
  };
}
