import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import type { ApiKey } from '../../core/api-key/api-key.ts';
import type { AuditRecord } from '../../core/audit/audit-log.ts';
import type { PersonName } from '../../core/audit/person-name.ts';
import type { Client } from '../../core/client/client.ts';
import { FetchError } from '../../core/identity-provider/fetch-json.ts';
import type { GrantList } from '../../core/identity-provider/grant.ts';
import type {
  IdentityProvider,
  ProviderOwner,
} from '../../core/identity-provider/identity-provider.ts';
import type { ManagementContext } from '../../core/management/management-context.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import type { TrunkGroupLimits } from '../../core/trunk-group/trunk-group-limits.ts';
import { createTestKeys } from '../../lab/support/verifier-world.ts';
import {
  createMemoryApiKeyStore,
  createMemoryAuditHistory,
  createMemoryAuditLog,
  createMemoryClientStore,
  createMemoryIdentityProviderStore,
  createMemoryPersonNames,
  createMemorySettings,
} from './memory-stores.ts';

export const testConfig = parseDeploymentConfig({
  domain: {
    name: 'auth.example.com',
    hostedZoneId: 'Z0123456789ABC',
    hostedZoneName: 'example.com',
  },
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  management: { portalReach: { administrators: true } },
  scopes: [
    { service: 'messaging', permission: 'view', description: 'Read messages' },
    { service: 'messaging', permission: 'manage', description: 'Send and delete messages' },
    { service: 'calls', permission: 'view', description: 'Read call records' },
  ],
});

/** Clients may have keys, and secrets, also those of before. */
export const configWithKeys: typeof testConfig = {
  ...testConfig,
  clientImport: { maxLifetimeDays: 180 },
  clientKeys: {
    algorithms: ['ES256', 'PS256'],
    only: false,
    maxAge: 120,
    tokenEndpointAudience: false,
  },
};

export interface TestManagement {
  readonly context: ManagementContext;
  readonly clients: Map<string, Client>;
  readonly apiKeys: Map<string, ApiKey>;
  readonly providers: Map<string, IdentityProvider>;
  readonly owners: Map<string, ProviderOwner>;
  /** By kind and place. */
  readonly grants: Map<string, GrantList>;
  readonly signingKeys: SigningKey[];
  readonly limits: Map<string, TrunkGroupLimits>;
  /** Names of people by subject; undefined is an erased one. */
  readonly people: Map<string, PersonName | undefined>;
  readonly audit: AuditRecord[];
  /** Documents that can be fetched, by URL. */
  readonly documents: Map<string, unknown>;
  /** The present second. */
  now: number;
}

/** Management over stores in memory, with a clock that stands still and chance that repeats. */
export function createTestManagement(overrides: Partial<ManagementContext> = {}): TestManagement {
  const clients = new Map<string, Client>();
  const apiKeys = new Map<string, ApiKey>();
  const providers = new Map<string, IdentityProvider>();
  const owners = new Map<string, ProviderOwner>();
  const grants = new Map<string, GrantList>();
  const signingKeys: SigningKey[] = [];
  const limits = new Map<string, TrunkGroupLimits>();
  const people: TestManagement['people'] = new Map();
  const audit: AuditRecord[] = [];
  const documents = new Map<string, unknown>();
  const auditLog = createMemoryAuditLog(audit);
  let draws = 0;
  const fetchJson =
    overrides.fetchJson ??
    (async (url: string) => {
      if (!documents.has(url)) throw new FetchError(url, 'status');
      return documents.get(url);
    });
  // Questions of one test may come at the same second.
  const clock = {
    get now() {
      return test.now;
    },
  };
  const test: TestManagement = {
    now: 1_800_000_000,
    clients,
    apiKeys,
    providers,
    owners,
    grants,
    signingKeys,
    limits,
    people,
    audit,
    documents,
    context: {
      clients: createMemoryClientStore(clients),
      apiKeys: createMemoryApiKeyStore(apiKeys),
      identityProviders: createMemoryIdentityProviderStore(providers),
      ...createMemorySettings({ owners, grants, limits }),
      signingKeys: { listSigningKeys: async () => signingKeys },
      listCanaryRuns: async () => [],
      audit: auditLog,
      auditPages: auditLog,
      auditHistory: createMemoryAuditHistory({ slc: audit }),
      personNames: createMemoryPersonNames(people),
      fetchJson,
      providerKeys: createTestKeys(clock, ({ jwksUri }) => fetchJson(jwksUri)),
      clock: () => test.now * 1000,
      awsTime: () => ({ earliest: test.now * 1000, latest: test.now * 1000 }),
      wait: async (milliseconds) => {
        const end = test.now + milliseconds / 1000;
        // Two that wait at once wait for the same time.
        await setImmediate();
        test.now = Math.max(test.now, end);
      },
      drawBytes: (length) => {
        draws += 1;
        return createHash('shake256', { outputLength: length }).update(String(draws)).digest();
      },
      config: testConfig,
      actor: async () => 'arn:aws:iam::123456789012:user/ada',
      ...overrides,
    },
  };
  return test;
}
