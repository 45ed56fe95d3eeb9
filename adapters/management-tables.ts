import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ManagementConfig } from '../contract/management/management-config.ts';
import { deployedTableName, type TableKey } from '../contract/tables.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { ServerDate } from '../core/server-date.ts';
import { JwksCache } from '../core/verifier/jwks-cache.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import type { OpenDynamoDb } from './dynamodb/clients/dynamodb-calls.ts';
import { openDynamoDb } from './dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbIdentityProviderReader } from './dynamodb/items/identity-provider-item.ts';
import { canaryRunItem } from './dynamodb/items/rotation-item.ts';
import { createDynamoDbApiKeyStore } from './dynamodb/stores/api-key-store.ts';
import { openApiKeyUses } from './dynamodb/stores/api-key-use-reader.ts';
import {
  createDynamoDbAuditLog,
  openAuditHistory,
  openAuditRegions,
} from './dynamodb/stores/audit-log.ts';
import { createDynamoDbClientStore } from './dynamodb/stores/client-store.ts';
import { createDynamoDbIdentityProviderStore } from './dynamodb/stores/identity-provider-store.ts';
import { createDynamoDbSettings } from './dynamodb/stores/setting-stores.ts';
import {
  createDynamoDbSigningKeyReader,
  listRecords,
} from './dynamodb/stores/signing-key-reader.ts';
import { createFetchProviderKeys, withGivenKeys } from './https/fetch-key-set.ts';
import { createGuardedFetch } from './https/json-request.ts';

/** The deployment that the library manages, and how it is reached. */
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
interface TableOptions extends ManagementOptions {
  /**
   * Whether lists that are restricted to trunk groups use the tables' indexes, which also takes a read
   * of the audit, and the last uses of keys and assertions are read. The default is true; operators
   * on the tables have no permissions for it.
   */
  readonly useIndexes?: boolean | undefined;
  /** Providers on loopback, over https even so. Only for a local run and tests. */
  readonly allowLoopbackProviders?: boolean | undefined;
  /** Certificates to trust for providers in addition to those of Node, PEM. */
  readonly ca?: string | undefined;
}

const elapsed = () => performance.now();

/** A context for each request, over the same connections. */
type OpenedTables = (
  reports: Pick<ManagementOptions, 'onMalformedRecord' | 'onAuditGap'>,
) => Omit<ManagementContext, 'actor'>;

/** Opens the deployment's tables for many requests, each with its own reports. */
export function openManagementTables(
  options: Omit<TableOptions, 'aws' | 'onMalformedRecord' | 'onAuditGap' | 'actor'> & {
    readonly open: OpenDynamoDb;
  },
): OpenedTables {
  const { config, open, allowLoopbackProviders = false, useIndexes = true } = options;
  const serverDate = new ServerDate(elapsed);
  const regions = open(serverDate.record.bind(serverDate));
  const dynamodb = regions.own;
  const table = (key: TableKey) => deployedTableName(config, key);
  const audits = openAuditRegions(config, regions);
  const apiKeyUses = openApiKeyUses(audits, config.name);
  const auditHistory = openAuditHistory(audits);
  const fetchJson = createGuardedFetch({ allowLoopback: allowLoopbackProviders, ca: options.ca });
  const providerReader = createDynamoDbIdentityProviderReader(dynamodb, table('identityProviders'));
  const providerKeys = new JwksCache({
    fetchJwks: withGivenKeys(createFetchProviderKeys(fetchJson), providerReader),
    clock: Date.now,
    random: Math.random,
  });
  return ({ onMalformedRecord = () => undefined, onAuditGap }) => {
    const store = { consistentRead: true, onMalformedRecord };
    const audit = createDynamoDbAuditLog(dynamodb, table('audit'), store);
    return {
      config,
      allowLoopbackProviders,
      clients: createDynamoDbClientStore(dynamodb, table('clients'), { ...store, useIndexes }),
      apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), { ...store, useIndexes }),
      apiKeyUses: useIndexes ? apiKeyUses : undefined,
      identityProviders: createDynamoDbIdentityProviderStore(
        dynamodb,
        table('identityProviders'),
        store,
      ),
      signingKeys: createDynamoDbSigningKeyReader(dynamodb, table('signingKeys'), store),
      listCanaryRuns: listRecords(dynamodb, table('signingKeys'), canaryRunItem, store),
      ...createDynamoDbSettings(dynamodb, table('settings'), store),
      audit,
      auditPages: audit,
      auditHistory: auditHistory(store),
      fetchJson,
      providerKeys,
      clock: Date.now,
      awsTime: () => serverDate.bounds(),
      wait: async (milliseconds) => wait(milliseconds),
      drawBytes: randomBytes,
      onAuditGap,
    };
  };
}

/** Everything that management reads and writes, on a deployment's tables. */
export function createManagementContext(
  options: TableOptions & Pick<ManagementContext, 'actor'>,
): ManagementContext {
  const { aws = {}, onMalformedRecord, onAuditGap, actor, ...rest } = options;
  const open = openManagementTables({ ...rest, open: openDynamoDb(aws) });
  const tables = open({ onMalformedRecord, onAuditGap });
  return { ...tables, actor };
}
