import type { RegionalAddresses } from '../../contract/addresses.ts';
import { regionIds } from '../../contract/regions.ts';
import { authorizationPath, jwksPath, tokenPath } from '../../contract/routes.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { providerAlgs } from '../identity-provider/provider-algorithms.ts';
import { authenticationSchemes, grantTypes, jwtBearerGrantType } from '../token/capabilities.ts';

interface MetadataSettings {
  readonly issuer: string;
  readonly regionalTokenEndpoints: RegionalAddresses;
  readonly signingAlgorithms: readonly Alg[];
  /** Left out if the catalogue is not known here. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** Whether an authorization endpoint is named. It refuses every request. */
  readonly authorizationEndpoint?: boolean;
  /** Whether the token endpoint accepts assertions of registered providers. */
  readonly federatedClients?: boolean;
}

/** Authorization server metadata (RFC 8414 §2), which is also OpenID Connect discovery. */
interface Metadata {
  readonly issuer: string;
  /** Only for clients that refuse a document without it (ADR 0076). No grant uses it. */
  readonly authorization_endpoint?: string;
  readonly token_endpoint: string;
  /** Token endpoint of each region, by region id: for clients that want to choose. */
  readonly regional_token_endpoints: RegionalAddresses;
  readonly jwks_uri: string;
  readonly scopes_supported?: readonly string[];
  readonly grant_types_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  /** RFC 8414 §2: with `private_key_jwt`, the algorithms of assertions. */
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  /** Required by RFC 8414 §2. The registered value for a server that returns nothing this way. */
  readonly response_types_supported: readonly ['none'];
  /** Required by OpenID Connect. Clients are the only subjects, and each always has the same one. */
  readonly subject_types_supported: readonly string[];
  /** Required by OpenID Connect, which has no name for access tokens: what signs those. */
  readonly id_token_signing_alg_values_supported: readonly Alg[];
}

/**
 * Says what the service can do, from the lists by which it does it. RFC 8414 §3.2 wants an empty
 * list left out.
 */
export function buildMetadata(settings: MetadataSettings): Metadata {
  const { issuer, regionalTokenEndpoints, scopesSupported = [] } = settings;
  const { federatedClients = false } = settings;
  return {
    issuer,
    ...(settings.authorizationEndpoint && { authorization_endpoint: issuer + authorizationPath }),
    token_endpoint: issuer + tokenPath,
    regional_token_endpoints: Object.fromEntries(
      regionIds
        .filter((id) => regionalTokenEndpoints[id] !== undefined)
        .map((id) => [id, regionalTokenEndpoints[id]]),
    ),
    jwks_uri: issuer + jwksPath,
    ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
    grant_types_supported: federatedClients ? [...grantTypes, jwtBearerGrantType] : grantTypes,
    token_endpoint_auth_methods_supported: [
      ...authenticationSchemes.values(),
      ...(federatedClients ? ['private_key_jwt'] : []),
    ],
    ...(federatedClients && { token_endpoint_auth_signing_alg_values_supported: providerAlgs }),
    response_types_supported: ['none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: settings.signingAlgorithms,
  };
}
