import type { ApiKey } from '../../core/api-key/api-key.ts';
import type { Client } from '../../core/client/client.ts';
import { deriveProviderClientId } from '../../core/client/provider-client-id.ts';
import { formatApiKeyValue, hashSecret } from '../../core/credential/credential-value.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import { BearerRefusal, type RefusalReason } from '../../core/verifier/bearer-refusal.ts';
import { type FetchJwks, JwksCache, type JwksSource } from '../../core/verifier/jwks-cache.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import {
  type BearerRequest,
  type VerifierPorts,
  verifyBearer,
} from '../../core/verifier/verify-bearer.ts';
import { makeClient } from './clients.ts';
import { createTestKey, type TestKey } from './test-issuer.ts';

export const issuer = 'https://auth.example.com';
export const audience = 'https://api.example.com';
export const providerIssuer = 'https://login.example.net/tenant-a';
export const otherIssuer = 'https://login.example.net/tenant-b';
export const externalClientId = 'app-1';
/** 2026-11-20T00:00:00Z. */
export const now = 1_795_132_800;

export const ownKey = createTestKey('RS256');
export const ownEcKey = createTestKey('ES256');
export const providerKey = createTestKey('ES256');
export const otherKey = createTestKey('ES256');

export const ownClaims = {
  iss: issuer,
  sub: 'client_0000000000000000000001',
  client_id: 'client_0000000000000000000001',
  aud: audience,
  iat: now,
  exp: now + 3600,
  jti: 'jti-1',
  scope: 'messaging:view messaging:manage',
  service_trunk_group: 'group-1',
};

export const providerClaims = {
  iss: providerIssuer,
  sub: externalClientId,
  aud: audience,
  iat: now,
  exp: now + 600,
};

export function createProvider(overrides: Partial<IdentityProvider> = {}): IdentityProvider {
  return {
    issuer: providerIssuer,
    registrationId: 'idp_1',
    discoveryUrl: `${providerIssuer}/.well-known/openid-configuration`,
    jwksUri: `${providerIssuer}/jwks`,
    allowedAlgorithms: ['ES256', 'RS256'],
    registeredAt: now,
    ...overrides,
  };
}

export function createProviderClient(overrides: Partial<Client> = {}): Client {
  const at = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId };
  const provider = overrides.provider ?? at;
  return makeClient({
    clientId: deriveProviderClientId(provider.issuer, provider.externalClientId),
    name: 'app',
    serviceTrunkGroup: 'group-2',
    scopes: ['messaging:view'],
    secrets: [],
    provider,
    createdAt: now,
    updatedAt: now,
    ...overrides,
  });
}

const keyId = 'key_0000000000000000000007';
export const apiKeyValue = formatApiKeyValue(keyId, Buffer.alloc(32, 7));

export function createApiKey(overrides: Partial<ApiKey> = {}): ApiKey {
  return {
    keyId,
    hash: hashSecret(apiKeyValue),
    name: 'key',
    serviceTrunkGroup: 'group-3',
    subnets: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
    ...overrides,
  };
}

interface WorldState {
  now: number;
  readonly jwks: Map<string, readonly TestKey[] | Error>;
  readonly providers: Map<string, IdentityProvider>;
  readonly clients: Map<string, Client>;
  readonly apiKeys: Map<string, ApiKey>;
  /** What was fetched, and what was looked up, in order. */
  readonly fetches: JwksSource[];
  readonly lookups: string[];
}

/** Everything that a verifier asks, in memory, with a record of what it asked. */
export interface World extends WorldState {
  readonly ports: WorldPorts;
  verify(
    authorization: string | readonly string[],
    requiredScopes?: readonly string[],
    request?: Partial<BearerRequest>,
  ): Promise<VerifiedCredential>;
}

export const settings = {
  issuer,
  jwksUri: `${issuer}/.well-known/jwks.json`,
  audiences: [audience],
  defaultAudience: audience,
};

type WorldPorts = VerifierPorts & { readonly jwks: JwksCache };

/** A key cache by the clock of a test, in seconds, without jitter. */
export function createTestKeys(time: { readonly now: number }, fetchJwks: FetchJwks): JwksCache {
  return new JwksCache({ fetchJwks, clock: () => time.now * 1000, random: () => 0 });
}

function createPorts(world: WorldState): WorldPorts {
  const jwks = createTestKeys(world, async (source) => {
    world.fetches.push(source);
    const found = world.jwks.get(source.issuer) ?? new Error('unreachable');
    if (found instanceof Error) throw found;
    return { keys: found.map((key) => key.jwk) };
  });
  const find =
    <T>(found: ReadonlyMap<string, T>) =>
    async (id: string): Promise<T | undefined> => {
      world.lookups.push(id);
      return found.get(id);
    };
  return {
    jwks,
    apiKeys: { findApiKey: find(world.apiKeys) },
    identityProviders: { findIdentityProvider: find(world.providers) },
    clients: { findClient: find(world.clients) },
  };
}

/** This service, one registered provider with one client, and one API key. */
export function createWorld(overrides: Partial<WorldPorts> = {}): World {
  const client = createProviderClient();
  const apiKey = createApiKey();
  const state: WorldState = {
    now,
    jwks: new Map<string, readonly TestKey[] | Error>([
      [issuer, [ownKey, ownEcKey]],
      [providerIssuer, [providerKey]],
      [otherIssuer, [otherKey]],
    ]),
    providers: new Map([[providerIssuer, createProvider()]]),
    clients: new Map([[client.clientId, client]]),
    apiKeys: new Map([[apiKey.keyId, apiKey]]),
    fetches: [],
    lookups: [],
  };
  const ports = { ...createPorts(state), ...overrides };
  return Object.assign(state, {
    ports,
    verify(
      authorization: string | readonly string[],
      requiredScopes: readonly string[] = [],
      request: Partial<BearerRequest> = {},
    ) {
      const values = typeof authorization === 'string' ? [authorization] : authorization;
      const full = {
        authorization: values,
        sourceAddress: '203.0.113.9',
        requiredScopes,
        now: state.now,
        ...request,
      };
      return verifyBearer(full, ports, settings);
    },
  });
}

/** The refusal that a verification ends in; anything else fails the test. */
export async function refusalOf(verification: Promise<unknown>): Promise<BearerRefusal> {
  const outcome = await verification.then(
    () => 'accepted',
    (error: unknown) => error,
  );
  if (outcome instanceof BearerRefusal) return outcome;
  throw new Error(`expected a refusal, received ${String(outcome)}`, { cause: outcome });
}

export async function reasonOf(verification: Promise<unknown>): Promise<RefusalReason> {
  return (await refusalOf(verification)).reason;
}
