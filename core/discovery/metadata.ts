import type { RegionalAddresses } from '../../contract/addresses.ts';
import type { ClientKeyAlg, ProofAlg } from '../../contract/proof-algorithms.ts';
import { regionIds } from '../../contract/regions.ts';
import { authorizationPath, jwksPath, tokenPath } from '../../contract/routes.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { providerAlgs } from '../identity-provider/provider-algorithms.ts';
import {
  authenticationSchemes,
  grantTypes,
  jwtBearerGrantType,
  secretInBody,
} from '../token/capabilities.ts';

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
  /** What clients' own keys sign with; undefined if clients have no keys. */
  readonly clientKeys?: readonly ClientKeyAlg[] | undefined;
  /** Whether no secret authenticates a client. */
  readonly keysOnly?: boolean;
  /** Whether the body of a token request may hold the secret. */
  readonly clientSecretPost?: boolean;
  /** What proofs are signed with; undefined if no token is bound to a key. */
  readonly proofs?: readonly ProofAlg[] | undefined;
}

/**
 * Authorization server metadata (RFC 8414 §2), which is also OpenID Connect discovery: says what
 * the service can do, from the lists by which it does it. RFC 8414 §3.2 wants an empty list left
 * out.
 */
export function buildMetadata(settings: MetadataSettings) {
  const { issuer, regionalTokenEndpoints, scopesSupported = [] } = settings;
  const { federatedClients = false, clientKeys, keysOnly = false } = settings;
  const ofKeys = clientKeys?.flatMap((alg) => (alg === 'Ed25519' ? [alg, 'EdDSA'] : [alg]));
  const assertionAlgs = federatedClients ? providerAlgs : ofKeys;
  return {
    issuer,
    // Only for clients that refuse a document without it (ADR 0076). No grant uses it.
    // MCP 2025-11-25 tells them to refuse a document without PKCE as well.
    ...(settings.authorizationEndpoint && {
      authorization_endpoint: issuer + authorizationPath,
      code_challenge_methods_supported: ['S256'],
    }),
    token_endpoint: issuer + tokenPath,
    // By region id: for clients that want to choose.
    regional_token_endpoints: Object.fromEntries(
      regionIds
        .filter((id) => regionalTokenEndpoints[id] !== undefined)
        .map((id) => [id, regionalTokenEndpoints[id]]),
    ),
    jwks_uri: issuer + jwksPath,
    ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
    grant_types_supported: federatedClients ? [...grantTypes, jwtBearerGrantType] : grantTypes,
    token_endpoint_auth_methods_supported: [
      ...(keysOnly ? [] : authenticationSchemes.values()),
      ...(settings.clientSecretPost ? [secretInBody] : []),
      ...(assertionAlgs === undefined ? [] : ['private_key_jwt']),
    ],
    // RFC 8414 §2: with `private_key_jwt`, the algorithms of assertions.
    ...(assertionAlgs && { token_endpoint_auth_signing_alg_values_supported: assertionAlgs }),
    // RFC 9449 §5.1.
    ...(settings.proofs && { dpop_signing_alg_values_supported: settings.proofs }),
    // Required by RFC 8414 §2. The registered value for a server that returns nothing this way.
    response_types_supported: ['none'],
    // Required by OpenID Connect. Clients are the only subjects, and each always has the same one.
    subject_types_supported: ['public'],
    // Required by OpenID Connect, which has no name for access tokens: what signs those.
    id_token_signing_alg_values_supported: settings.signingAlgorithms,
  };
}
