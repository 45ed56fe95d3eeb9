import { type AccessTokenType, defaultAccessTokenType } from './access-token-type.ts';
import { type Addresses, tokenEndpointsOf } from './addresses.ts';
import { discoveryMaxAge } from './bounds.ts';
import type { DeploymentConfig } from './deployment-config.ts';
import { type FunctionName, functionName, liveAlias } from './function-names.ts';
import type { PolicyDocument } from './kms-key.ts';
import type { PeopleMapping, PortalConfig } from './portal-config.ts';
import type { ProofAlg } from './proof-algorithms.ts';
import type { RegionId } from './regions.ts';
import type { OnLookupFailure } from './revocation-check.ts';
import { jwksPath } from './routes.ts';
import { scopeName } from './scopes.ts';
import type { Alg } from './signing-algorithms.ts';
import { keyListMaxAge } from './signing-key-policy.ts';
import { deployedTableName, tableName } from './tables.ts';
import { tagsOf } from './tags.ts';

/** What the settings of one region's functions follow from. */
export interface SettingsSource {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  readonly addresses: Addresses;
  /** The policy that CreateKey sends for a new key. */
  readonly kmsKeyPolicy: PolicyDocument;
}

/**
 * Maximum bytes of scope names in the discovery function's settings. Lambda allows 4,096 for all
 * variables of a function, and the other settings of this function need less than 1,000.
 */
export const maxScopesSupportedBytes = 2500;

/** Of a deployment in which only its own clients send assertions. */
export const withoutProviders = { maxAge: 0, ownProviders: false, providers: false } as const;

/** Which assertions are accepted. Only the token function's second file reads it. */
export interface FederationSettings {
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

function tokenSettings({ config, regionId, addresses }: Omit<SettingsSource, 'kmsKeyPolicy'>) {
  const { signingKeyPolicy: policy, fairShare, federatedClients, clientKeys } = config;
  const tokenEndpoints = tokenEndpointsOf(addresses);
  const audienceParameter =
    config.audienceParameter === 'ignore' ? undefined : config.audienceParameter;
  const federation: FederationSettings | undefined = (federatedClients ?? clientKeys) && {
    ...(federatedClients ?? withoutProviders),
    audienceParameter,
    clientKeys,
    identityProvidersTable: deployedTableName(config, 'identityProviders'),
    tokenEndpoints,
  };
  return {
    issuer: addresses.issuer,
    regionId,
    defaultAudience: config.defaultAudience,
    maxTokenLifetime: config.tokenLifetime.maximum,
    clientsTable: deployedTableName(config, 'clients'),
    signingKeysTable: deployedTableName(config, 'signingKeys'),
    keyListRefresh: policy.keyListRefresh,
    /** How long a `next` key must have been published before it may be the fallback key. */
    publicationLead: policy.publicationLead,
    /**
     * By how much clocks may differ. A `previous` key signs only tokens that expire at least this
     * long before it leaves the JWKS.
     */
    leeway: policy.leeway,
    /** The maximum age of the key list when the table does not answer. */
    keyListMaxAge: keyListMaxAge(policy),
    /** Whether a client that asks for too many tokens is refused or counted. None: neither. */
    fairShare: fairShare.mode === 'off' ? undefined : fairShare.mode,
    /** New tokens in a minute of one client in one instance. */
    signsPerMinute: fairShare.mode === 'off' ? undefined : fairShare.signsPerMinute,
    accessTokenType: config.accessTokenType,
    /** What `audience` of a request means. None: nothing. */
    audienceParameter,
    /** Scopes that a request may name and that count for nothing. */
    ignoredScopes: config.ignoredScopes,
    federatedClients: federation,
    /** Whether no secret authenticates a client. */
    keysOnly: clientKeys?.only || undefined,
    /** Whether the body of a token request may hold the secret. */
    clientSecretPost: config.clientSecretPost || undefined,
    /** Which tokens are bound to keys. Only the token function's file of proofs reads it. */
    dpop: config.dpop && { ...config.dpop, tokenEndpoints },
  };
}

/** Which tokens are bound to keys. */
export type BindingSettings = NonNullable<Settings<'token'>['dpop']>;

function discoverySettings({ config, addresses }: SettingsSource) {
  const scopes = config.scopes.map(scopeName);
  return {
    issuer: addresses.issuer,
    regionalTokenEndpoints: addresses.regionalTokenEndpoints,
    signingAlgorithms: config.signingAlgorithms,
    /** RFC 8414 §2 leaves it to the server to list all: none if they are too long for a variable. */
    scopesSupported: scopes.join(' ').length > maxScopesSupportedBytes ? undefined : scopes,
    documentMaxAge: discoveryMaxAge,
    /** Whether the document has an authorization endpoint, which refuses every request. */
    authorizationEndpoint: config.authorizationEndpoint || undefined,
    /** Whether the token endpoint accepts assertions. */
    federatedClients: config.federatedClients && true,
    /** What clients' own keys sign with, if clients may have keys. */
    clientKeys: config.clientKeys?.algorithms,
    keysOnly: config.clientKeys?.only || undefined,
    clientSecretPost: config.clientSecretPost || undefined,
    /** What proofs are signed with, if tokens can be bound to keys. */
    proofs: config.dpop?.algorithms,
  };
}

function jwksSettings({ config }: SettingsSource) {
  return {
    signingKeysTable: deployedTableName(config, 'signingKeys'),
    keyListRefresh: config.signingKeyPolicy.keyListRefresh,
    jwksMaxAge: config.signingKeyPolicy.jwksMaxAge,
  };
}

function canarySettings({ config, regionId, addresses, kmsKeyPolicy }: SettingsSource) {
  return {
    regionId,
    signingKeysTable: deployedTableName(config, 'signingKeys'),
    /** Address of the JWKS as each region serves it. */
    regionalJwksUris: addresses.regionalJwksUris,
    /** Tag value that a key must have to be published. */
    deploymentName: config.name,
    /** The policy that a key must have to be published. */
    keyPolicy: kmsKeyPolicy as object,
    /** What answers requests, whose self-test it runs. */
    tokenFunction: `${functionName(config.name, 'token')}:${liveAlias}`,
    leeway: config.signingKeyPolicy.leeway,
  };
}

function noticesSettings({ config }: SettingsSource) {
  return {
    deploymentName: config.name,
    clientsTable: deployedTableName(config, 'clients'),
    apiKeysTable: deployedTableName(config, 'apiKeys'),
  };
}

function syntheticCheckSettings({ config, regionId, addresses }: SettingsSource) {
  return {
    issuer: addresses.issuer,
    regionId,
    clientsTable: deployedTableName(config, 'clients'),
    /** Addresses that reach only this region. */
    tokenEndpoint: addresses.regionalTokenEndpoints[regionId] ?? '',
    jwksUri: addresses.regionalJwksUris[regionId] ?? '',
    accessTokenType: config.accessTokenType,
  };
}

function deploymentCheckSettings({ config }: Pick<SettingsSource, 'config'>) {
  return {
    signingKeysTable: deployedTableName(config, 'signingKeys'),
    /** Name of the function whose live version says what is deployed. */
    tokenFunction: functionName(config.name, 'token'),
    policy: config.signingKeyPolicy,
  };
}

function keyRotationSettings({ config, regionId, addresses, kmsKeyPolicy }: SettingsSource) {
  return {
    issuer: addresses.issuer,
    regionId,
    signingKeysTable: deployedTableName(config, 'signingKeys'),
    // The schema of the config wants one.
    algs: config.signingAlgorithms as readonly Alg[] as readonly [Alg, ...Alg[]],
    policy: config.signingKeyPolicy,
    /** Constant tag value by which roles select the keys of this deployment. */
    deploymentName: config.name,
    /** The key policy that CreateKey sends. */
    keyPolicy: kmsKeyPolicy as object,
    /** Tags of the config, which each signing key gets. */
    keyTags: tagsOf(config),
    /** Function whose self-test ends a deployment. */
    tokenFunction: functionName(config.name, 'token'),
    /** Function that proves a key before it may sign. */
    canaryFunction: functionName(config.name, 'canary'),
    auditTable: deployedTableName(config, 'audit'),
  };
}

/** The files next to two bundles: what they need of the config is too large for a variable. */
export const managementConfigFile = 'management.json';
export const portalConfigFile = 'portal.json';

/** @param arns the management function without an alias, and the secret of the session keys. */
function portalSettings(arns: {
  readonly managementFunction: string;
  readonly sessionKeySecret: string;
}) {
  return arns;
}

/** The properties of the guarded API that the authorizer's settings need. */
interface GuardedApi {
  readonly issuer: string;
  /** The beginning of the names or ARNs of the authorization server's tables. */
  readonly tables: string;
  /** The values of `aud` that the API accepts, at least one. */
  readonly audiences: readonly string[];
  readonly defaultAudience?: string | undefined;
  /** `GET /messages` → scopes, separated by a space. */
  readonly requiredScopes: Readonly<Record<string, string>>;
  /** Seconds for which the gateway caches a decision; 0 if it does not. */
  readonly resultCacheTtl: number;
  /** `accessTokenType` of the authorization server's config. */
  readonly accessTokenType?: AccessTokenType | undefined;
  /** The table in which the last use of API keys is recorded, if it is. */
  readonly apiKeyUses?: string | undefined;
  readonly dpop?: 'allowed' | 'required' | undefined;
  /** Origins of the API as its clients see them, if they are not those of the gateway's event. */
  readonly dpopOrigins?: readonly string[] | undefined;
  /** `alg` values of proofs, if not every known one is accepted. */
  readonly dpopAlgorithms?: readonly ProofAlg[] | undefined;
  /** If set, the clients of the authorization server's own tokens are looked up. */
  readonly revocation?: { readonly onLookupFailure: OnLookupFailure } | undefined;
}

function authorizerSettings(api: GuardedApi) {
  const { tables, apiKeyUses, revocation, dpop } = api;
  return {
    issuer: api.issuer,
    jwksUri: `${api.issuer}${jwksPath}`,
    audiences: api.audiences,
    defaultAudience: api.defaultAudience ?? api.audiences[0] ?? '',
    clientsTable: tableName(tables, 'clients'),
    apiKeysTable: tableName(tables, 'apiKeys'),
    identityProvidersTable: tableName(tables, 'identityProviders'),
    requiredScopes: api.requiredScopes,
    resultCacheTtl: api.resultCacheTtl,
    dpopOrigins: api.dpopOrigins,
    dpopAlgorithms: api.dpopAlgorithms,
    accessTokenType: api.accessTokenType ?? defaultAccessTokenType,
    /** Whether tokens that are not bound to a key are refused. */
    requireProof: dpop === 'required' || undefined,
    /** The table of the last uses of API keys; without it, none is recorded. */
    apiKeyUsesTable: apiKeyUses,
    /** What happens while the client of an own token cannot be looked up; without it, none is. */
    revocationCheck: revocation?.onLookupFailure,
  };
}

/** What each function is told, by name: the stack writes it as JSON, the function reads it. */
export const functionSettings = {
  token: tokenSettings,
  discovery: discoverySettings,
  jwks: jwksSettings,
  'key-rotation': keyRotationSettings,
  authorizer: authorizerSettings,
  canary: canarySettings,
  'deployment-check': deploymentCheckSettings,
  'synthetic-check': syntheticCheckSettings,
  management: () => ({}),
  notices: noticesSettings,
  portal: portalSettings,
} as const satisfies Readonly<Record<FunctionName, unknown>>;

/** JSON leaves out what is undefined. */
type InJson<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: T[K] };

export type Settings<F extends FunctionName> = InJson<ReturnType<(typeof functionSettings)[F]>>;

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
