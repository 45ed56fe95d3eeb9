import type { AccessTokenType } from './access-token-type.ts';
import { type Addresses, tokenEndpointsOf } from './addresses.ts';
import { discoveryMaxAge } from './bounds.ts';
import type { DeploymentConfig } from './deployment-config.ts';
import type { EnvironmentVariables } from './environment.ts';
import { functionName } from './function-names.ts';
import type { PolicyDocument } from './kms-key.ts';
import type { PeopleMapping, PortalConfig } from './portal-config.ts';
import type { ProofAlg } from './proof-algorithms.ts';
import type { RegionId } from './regions.ts';
import type { OnLookupFailure } from './revocation-check.ts';
import { scopeName } from './scopes.ts';
import { keyListMaxAge } from './signing-key-policy.ts';
import { deployedTableName, tableName } from './tables.ts';
import { tagsOf } from './tags.ts';

/** The inputs that determine the variables of one region's functions. */
export interface EnvironmentSource {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  readonly addresses: Addresses;
  /** The policy that CreateKey sends for a new key. */
  readonly kmsKeyPolicy: PolicyDocument;
  /**
   * Serialises a value as JSON. The stack's function keeps values that are known only at
   * deployment.
   */
  readonly toJson: (value: unknown) => string;
}

/**
 * Maximum bytes of scope names in the discovery function's environment. Lambda allows 4,096 for all
 * variables of a function, and the other ones of this function need less than 1,000.
 */
export const maxScopesSupportedBytes = 2500;

/**
 * The catalogue for `scopes_supported` (RFC 8414 §2, which leaves it to the server to list all).
 *
 * @returns undefined if it is too long for the function's environment.
 */
function scopesSupported(config: DeploymentConfig): string | undefined {
  const joined = config.scopes.map(scopeName).join(' ');
  return joined.length > maxScopesSupportedBytes ? undefined : joined;
}

/** Only the type that is not the usual one has a variable. */
function accessTokenTypeVariable(type: AccessTokenType | undefined) {
  return type === 'JWT' ? { AUTH_ACCESS_TOKEN_TYPE: type } : {};
}

/** `AUTH_FEDERATED_CLIENTS`: which assertions are accepted. Only the token function's second file reads it. */
export interface FederationVariables {
  readonly identityProvidersTable: string;
  readonly tokenEndpoints: readonly string[];
  readonly audience?: string | undefined;
  readonly audienceParameter?: 'refuse' | 'resource' | undefined;
  /** Seconds. */
  readonly maxAge: number;
  readonly ownProviders: boolean;
  /** False: only clients with keys of their own send assertions. */
  readonly providers?: false | undefined;
  readonly clientKeys?: DeploymentConfig['clientKeys'];
  /** Whether providers on loopback are fetched from. No stack sets it: it is for the local run. */
  readonly allowLoopback?: true | undefined;
}

/** `AUTH_DPOP`: which tokens are bound to keys. Only the token function's file of proofs reads it. */
export interface BindingVariables extends NonNullable<DeploymentConfig['dpop']> {
  readonly tokenEndpoints: readonly string[];
}

/** Of a deployment in which only its own clients send assertions. */
export const withoutProviders = { maxAge: 0, ownProviders: false, providers: false } as const;

function federationVariables({
  config,
  addresses,
  toJson,
}: Omit<EnvironmentSource, 'kmsKeyPolicy'>): string {
  const { federatedClients, clientKeys } = config;
  return toJson({
    ...(federatedClients ?? withoutProviders),
    ...(config.audienceParameter !== 'ignore' && { audienceParameter: config.audienceParameter }),
    ...(clientKeys && { clientKeys }),
    identityProvidersTable: deployedTableName(config, 'identityProviders'),
    tokenEndpoints: tokenEndpointsOf(addresses),
  } satisfies FederationVariables);
}

export function tokenEnvironment(
  source: Omit<EnvironmentSource, 'kmsKeyPolicy'>,
): EnvironmentVariables<'token'> {
  const { config } = source;
  return {
    AUTH_ISSUER: source.addresses.issuer,
    AUTH_REGION_ID: source.regionId,
    AUTH_DEFAULT_AUDIENCE: config.defaultAudience,
    AUTH_MAX_TOKEN_LIFETIME: String(config.tokenLifetime.maximum),
    AUTH_CLIENTS_TABLE: deployedTableName(config, 'clients'),
    AUTH_SIGNING_KEYS_TABLE: deployedTableName(config, 'signingKeys'),
    AUTH_KEY_LIST_REFRESH: String(config.signingKeyPolicy.keyListRefresh),
    AUTH_PUBLICATION_LEAD: String(config.signingKeyPolicy.publicationLead),
    AUTH_LEEWAY: String(config.signingKeyPolicy.leeway),
    AUTH_KEY_LIST_MAX_AGE: String(keyListMaxAge(config.signingKeyPolicy)),
    ...(config.fairShare.mode !== 'off' && {
      AUTH_FAIR_SHARE: config.fairShare.mode,
      AUTH_SIGNS_PER_MINUTE: String(config.fairShare.signsPerMinute),
    }),
    ...accessTokenTypeVariable(config.accessTokenType),
    ...(config.audienceParameter !== 'ignore' && {
      AUTH_AUDIENCE_PARAMETER: config.audienceParameter,
    }),
    ...(config.ignoredScopes && { AUTH_IGNORED_SCOPES: config.ignoredScopes.join(' ') }),
    ...((config.federatedClients ?? config.clientKeys) && {
      AUTH_FEDERATED_CLIENTS: federationVariables(source),
    }),
    ...keysOnlyVariable(config),
    ...(config.clientImport && { AUTH_CLIENT_IMPORT: '1' as const }),
    ...(config.dpop && {
      AUTH_DPOP: source.toJson({
        ...config.dpop,
        tokenEndpoints: tokenEndpointsOf(source.addresses),
      } satisfies BindingVariables),
    }),
  };
}

function keysOnlyVariable({ clientKeys }: DeploymentConfig) {
  return clientKeys?.only === true ? { AUTH_KEYS_ONLY: '1' as const } : {};
}

export function discoveryEnvironment(source: EnvironmentSource): EnvironmentVariables<'discovery'> {
  const scopes = scopesSupported(source.config);
  return {
    AUTH_ISSUER: source.addresses.issuer,
    AUTH_REGIONAL_TOKEN_ENDPOINTS: source.toJson(source.addresses.regionalTokenEndpoints),
    AUTH_SIGNING_ALGORITHMS: source.config.signingAlgorithms.join(' '),
    ...(scopes === undefined ? {} : { AUTH_SCOPES_SUPPORTED: scopes }),
    AUTH_DOCUMENT_MAX_AGE: String(discoveryMaxAge),
    ...(source.config.authorizationEndpoint && { AUTH_AUTHORIZATION_ENDPOINT: '1' as const }),
    ...(source.config.federatedClients && { AUTH_FEDERATED_CLIENTS: '1' as const }),
    ...(source.config.clientKeys && {
      AUTH_CLIENT_KEYS: source.config.clientKeys.algorithms.join(' '),
    }),
    ...keysOnlyVariable(source.config),
    ...(source.config.dpop && {
      AUTH_DPOP_ALGORITHMS: source.config.dpop.algorithms.join(' '),
    }),
  };
}

export function jwksEnvironment({ config }: EnvironmentSource): EnvironmentVariables<'jwks'> {
  return {
    AUTH_SIGNING_KEYS_TABLE: deployedTableName(config, 'signingKeys'),
    AUTH_KEY_LIST_REFRESH: String(config.signingKeyPolicy.keyListRefresh),
    AUTH_JWKS_MAX_AGE: String(config.signingKeyPolicy.jwksMaxAge),
  };
}

export function canaryEnvironment(source: EnvironmentSource): EnvironmentVariables<'canary'> {
  return {
    AUTH_REGION_ID: source.regionId,
    AUTH_SIGNING_KEYS_TABLE: deployedTableName(source.config, 'signingKeys'),
    AUTH_REGIONAL_JWKS_URIS: source.toJson(source.addresses.regionalJwksUris),
    AUTH_DEPLOYMENT_NAME: source.config.name,
    AUTH_KMS_KEY_POLICY: source.toJson(source.kmsKeyPolicy),
    AUTH_LEEWAY: String(source.config.signingKeyPolicy.leeway),
  };
}

export function noticesEnvironment({ config }: EnvironmentSource): EnvironmentVariables<'notices'> {
  return {
    AUTH_DEPLOYMENT_NAME: config.name,
    AUTH_CLIENTS_TABLE: deployedTableName(config, 'clients'),
    AUTH_API_KEYS_TABLE: deployedTableName(config, 'apiKeys'),
  };
}

export function syntheticCheckEnvironment(
  source: EnvironmentSource,
): EnvironmentVariables<'synthetic-check'> {
  const { addresses, config, regionId } = source;
  return {
    AUTH_ISSUER: addresses.issuer,
    AUTH_REGION_ID: regionId,
    AUTH_CLIENTS_TABLE: deployedTableName(config, 'clients'),
    AUTH_TOKEN_ENDPOINT: addresses.regionalTokenEndpoints[regionId] ?? '',
    AUTH_JWKS_URI: addresses.regionalJwksUris[regionId] ?? '',
    ...accessTokenTypeVariable(config.accessTokenType),
  };
}

export function deploymentCheckEnvironment({
  config,
}: Pick<EnvironmentSource, 'config'>): EnvironmentVariables<'deployment-check'> {
  return {
    AUTH_SIGNING_KEYS_TABLE: deployedTableName(config, 'signingKeys'),
    AUTH_TOKEN_FUNCTION: functionName(config.name, 'token'),
    AUTH_SIGNING_KEY_POLICY: JSON.stringify(config.signingKeyPolicy),
  };
}

export function keyRotationEnvironment(
  source: EnvironmentSource,
): EnvironmentVariables<'key-rotation'> {
  const { config } = source;
  return {
    AUTH_ISSUER: source.addresses.issuer,
    AUTH_REGION_ID: source.regionId,
    AUTH_SIGNING_KEYS_TABLE: deployedTableName(config, 'signingKeys'),
    AUTH_SIGNING_ALGORITHMS: config.signingAlgorithms.join(' '),
    AUTH_SIGNING_KEY_POLICY: JSON.stringify(config.signingKeyPolicy),
    AUTH_DEPLOYMENT_NAME: config.name,
    AUTH_KMS_KEY_POLICY: source.toJson(source.kmsKeyPolicy),
    AUTH_KMS_KEY_TAGS: JSON.stringify(tagsOf(config)),
    AUTH_TOKEN_FUNCTION: functionName(config.name, 'token'),
    AUTH_CANARY_FUNCTION: functionName(config.name, 'canary'),
    AUTH_AUDIT_TABLE: deployedTableName(config, 'audit'),
  };
}

/** Name of the file next to the management function's bundle; see management-config.ts. */
export const managementConfigFile = 'management.json';

export function managementEnvironment(): EnvironmentVariables<'management'> {
  return { AUTH_MANAGEMENT_CONFIG: managementConfigFile };
}

/** @param arns the management function without an alias, and the secret of the session keys. */
export function portalEnvironment(arns: {
  readonly managementFunction: string;
  readonly sessionKeySecret: string;
}): EnvironmentVariables<'portal'> {
  return {
    AUTH_PORTAL_CONFIG: portalConfigFile,
    AUTH_MANAGEMENT_FUNCTION: arns.managementFunction,
    AUTH_SESSION_KEY_SECRET: arns.sessionKeySecret,
  };
}

/** The properties of the guarded API that the authorizer's environment needs. */
interface GuardedApi {
  readonly issuer: string;
  /** The beginning of the names or ARNs of the authorization server's tables. */
  readonly tables: string;
  /** The values of `aud` that the API accepts, at least one. */
  readonly audiences: readonly string[];
  readonly defaultAudience?: string | undefined;
  /** JSON object: `GET /messages` → scopes, separated by a space. */
  readonly requiredScopes: string;
  /** Seconds for which the gateway caches a decision. */
  readonly resultCacheTtl: number;
  /** `accessTokenType` of the authorization server's config. */
  readonly accessTokenType?: AccessTokenType | undefined;
  /** The table in which the last use of API keys is recorded, if it is. */
  readonly apiKeyUses?: string | undefined;
  readonly dpop?: 'allowed' | 'required' | undefined;
  readonly dpopOrigins?: readonly string[] | undefined;
  readonly dpopAlgorithms?: readonly ProofAlg[] | undefined;
  /** If set, the clients of the authorization server's own tokens are looked up. */
  readonly revocation?: { readonly onLookupFailure: OnLookupFailure } | undefined;
}

export function authorizerEnvironment(api: GuardedApi): EnvironmentVariables<'authorizer'> {
  return {
    AUTH_ISSUER: api.issuer,
    AUTH_AUDIENCES: api.audiences.join(' '),
    AUTH_DEFAULT_AUDIENCE: api.defaultAudience ?? api.audiences[0] ?? '',
    AUTH_CLIENTS_TABLE: tableName(api.tables, 'clients'),
    AUTH_API_KEYS_TABLE: tableName(api.tables, 'apiKeys'),
    AUTH_IDENTITY_PROVIDERS_TABLE: tableName(api.tables, 'identityProviders'),
    AUTH_REQUIRED_SCOPES: api.requiredScopes,
    AUTH_RESULT_CACHE_TTL: String(api.resultCacheTtl),
    ...accessTokenTypeVariable(api.accessTokenType),
    ...(api.dpop === 'required' && { AUTH_DPOP_REQUIRED: '1' as const }),
    ...(api.dpopOrigins && { AUTH_DPOP_ORIGINS: api.dpopOrigins.join(' ') }),
    ...(api.dpopAlgorithms && { AUTH_DPOP_ALGORITHMS: api.dpopAlgorithms.join(' ') }),
    ...(api.apiKeyUses !== undefined && { AUTH_API_KEY_USES_TABLE: api.apiKeyUses }),
    ...(api.revocation && { AUTH_REVOCATION_CHECK: api.revocation.onLookupFailure }),
  };
}

/** Name of the file next to the portal function's bundle. */
export const portalConfigFile = 'portal.json';

/** What the portal function needs to know of a deployment. */
export type PortalFunctionConfig = Omit<PortalConfig, 'people'> & {
  readonly people: PeopleMapping;
};

/** The file that the stack puts next to the portal function's bundle. */
export function formatPortalConfig(
  portal: PortalConfig,
  { portalReach }: DeploymentConfig['management'],
): string {
  const people = { ...portal.people, administrators: portalReach?.administrators ?? false };
  return `${JSON.stringify({ ...portal, people } satisfies PortalFunctionConfig, undefined, 2)}\n`;
}
