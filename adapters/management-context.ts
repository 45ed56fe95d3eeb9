import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ManagementConfig } from '../contract/management/management-config.ts';
import { deployedTableName, type TableKey } from '../contract/tables.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { FetchJson } from '../core/identity-provider/fetch-json.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { ServerDate } from '../core/server-date.ts';
import { JwksCache } from '../core/verifier/jwks-cache.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import { createDynamoDbApiKeyStore } from './dynamodb/api-key-store.ts';
import { openAuditHistory } from './dynamodb/audit-history.ts';
import { createDynamoDbAuditLog } from './dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from './dynamodb/client-store.ts';
import { createDynamoDbDailyReportStore } from './dynamodb/daily-report-store.ts';
import { createDynamoDbClient } from './dynamodb/dynamodb-client.ts';
import { createDynamoDbGrantStore } from './dynamodb/grant-store.ts';
import { createDynamoDbIdentityProviderStore } from './dynamodb/identity-provider-store.ts';
import { createDynamoDbProviderOwnerStore } from './dynamodb/provider-owner-store.ts';
import { createFindRecent } from './dynamodb/recent-changes.ts';
import { createDynamoDbSigningKeyStore } from './dynamodb/signing-key-store.ts';
import { createDynamoDbTrunkGroupLimitsStore } from './dynamodb/trunk-group-limits-store.ts';
import type { GuardedFetchOptions } from './https/guarded-fetch.ts';
import { recordServerDates } from './record-server-dates.ts';
import { createCallerIdentity } from './sts/caller-identity.ts';

export interface ManagementOptions {
  /** The deployment's config, as `parseDeploymentConfig` gives it; table names follow from it. */
  readonly config: ManagementConfig;
  /** Region, credentials and endpoints. Omitted options follow the AWS SDK's own rules. */
  readonly aws?: AwsClientOptions | undefined;
  /**
   * Returns the actor for the audit, for instance the user of a portal. It is called before each
   * change. The default is the AWS caller's ARN.
   */
  readonly actor?: (() => Promise<string>) | undefined;
  /** Runs when a stored record cannot be read. Lists skip it. */
  readonly onMalformedRecord?: ((error: Error) => void) | undefined;
  /** Runs when the outcome of a change could not be written to the audit. Its intent is there. */
  readonly onAuditGap?: ((record: AuditRecord, cause: unknown) => void) | undefined;
}

/** What reaches the tables itself: the management function, and `authctl table`. */
export interface TableOptions extends ManagementOptions {
  /**
   * Whether lists that are limited to trunk groups use the tables' indexes, which also takes a read
   * of the audit. The default is true; lists scan without the permissions for it.
   */
  readonly useIndexes?: boolean | undefined;
  /** Providers on loopback, over https even so. Only for a local run and tests. */
  readonly allowLoopbackProviders?: boolean | undefined;
  /** Certificates to trust for providers in addition to those of Node, PEM. */
  readonly ca?: string | undefined;
}

const elapsed = () => performance.now();

/**
 * Loaded only if a provider's documents are fetched, because an import of node:http also evaluates
 * Node's WebSocket and fetch.
 */
function createLazyFetch(options: GuardedFetchOptions): FetchJson {
  return async (url, port) => {
    const { createGuardedFetch } = await import('./https/guarded-fetch.ts');
    return createGuardedFetch(options)(url, port);
  };
}

/** A context for each request, over the same connections. */
export type OpenedTables = (
  reports: Pick<ManagementOptions, 'onMalformedRecord' | 'onAuditGap'>,
) => Omit<ManagementContext, 'actor'>;

/** Opens the deployment's tables for many requests, each with its own reports. */
export function openManagementTables(
  options: Omit<TableOptions, 'onMalformedRecord' | 'onAuditGap' | 'actor'>,
): OpenedTables {
  const { config, aws = {}, allowLoopbackProviders = false, useIndexes = true } = options;
  const dynamodb = createDynamoDbClient(aws);
  const serverDate = new ServerDate(elapsed);
  recordServerDates({ dynamodb }, serverDate.record.bind(serverDate), elapsed);
  const table = (key: TableKey) => deployedTableName(config, key);
  const findRecent = useIndexes ? createFindRecent(dynamodb, table('audit'), Date.now) : undefined;
  const auditHistory = openAuditHistory({ config, aws, dynamodb });
  const fetchJson = createLazyFetch({ allowLoopback: allowLoopbackProviders, ca: options.ca });
  const providerKeys = new JwksCache({
    fetchJwks: ({ jwksUri }) => fetchJson(jwksUri),
    clock: Date.now,
    random: Math.random,
  });
  const inspections = new Map<string, Promise<void>>();
  return ({ onMalformedRecord = () => undefined, onAuditGap }) => {
    const store = { consistentRead: true, onMalformedRecord };
    const audit = createDynamoDbAuditLog(dynamodb, table('audit'), store);
    return {
      config,
      allowLoopbackProviders,
      clients: createDynamoDbClientStore(dynamodb, table('clients'), { ...store, findRecent }),
      apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), { ...store, findRecent }),
      identityProviders: createDynamoDbIdentityProviderStore(
        dynamodb,
        table('identityProviders'),
        store,
      ),
      providerOwners: createDynamoDbProviderOwnerStore(dynamodb, table('signingKeys'), store),
      providerGrants: createDynamoDbGrantStore(dynamodb, table('signingKeys'), store),
      signingKeys: createDynamoDbSigningKeyStore(dynamodb, table('signingKeys'), store),
      trunkGroupLimits: createDynamoDbTrunkGroupLimitsStore(dynamodb, table('signingKeys'), store),
      audit,
      auditPages: audit,
      auditHistory: auditHistory(store),
      dailyReport: createDynamoDbDailyReportStore(dynamodb, table('signingKeys')),
      fetchJson,
      providerKeys,
      inspections,
      clock: Date.now,
      awsTime: () => serverDate.bounds(),
      wait: async (milliseconds) => wait(milliseconds),
      drawBytes: randomBytes,
      onAuditGap,
    };
  };
}

/** Everything that management reads and writes, on a deployment's tables. */
export function createManagementContext(options: TableOptions): ManagementContext {
  const { onMalformedRecord, onAuditGap, ...rest } = options;
  const tables = openManagementTables(rest)({ onMalformedRecord, onAuditGap });
  return { ...tables, actor: options.actor ?? createCallerIdentity(options.aws) };
}
