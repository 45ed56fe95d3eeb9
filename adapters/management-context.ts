import { randomBytes } from 'node:crypto';
import type { DeploymentConfig } from '../contract/deployment-config.ts';
import { deployedTableName, type TableKey } from '../contract/tables.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import { createAwsClients } from './aws-clients.ts';
import { createDynamoDbApiKeyStore } from './dynamodb/api-key-store.ts';
import { createDynamoDbAuditLog } from './dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from './dynamodb/client-store.ts';
import { createDynamoDbIdentityProviderStore } from './dynamodb/identity-provider-store.ts';
import { createDynamoDbSigningKeyStore } from './dynamodb/signing-key-store.ts';
import { createGuardedFetch } from './https/guarded-fetch.ts';
import { createCallerIdentity } from './sts/caller-identity.ts';

export interface ManagementOptions {
  /** The deployment's config, as `parseDeploymentConfig` gives it; table names follow from it. */
  readonly config: DeploymentConfig;
  /** Region, credentials and endpoints; what is left out follows the AWS SDK's own rules. */
  readonly aws?: AwsClientOptions | undefined;
  /**
   * Who makes the changes, for the audit: the person behind a portal, for instance. Asked before
   * each change; the AWS caller's ARN if left out.
   */
  readonly actor?: (() => Promise<string>) | undefined;
  /** Told of a stored record that cannot be read. Lists leave it out. */
  readonly onMalformedRecord?: ((error: Error) => void) | undefined;
  /** Told of a change whose outcome could not be written to the audit. Its intent stands there. */
  readonly onAuditGap?: ((record: AuditRecord, cause: unknown) => void) | undefined;
  /** Providers on loopback, over https even so. Only for a local run and tests. */
  readonly allowLoopbackProviders?: boolean | undefined;
  /** Certificates to trust for providers in addition to those of Node, PEM. */
  readonly ca?: string | undefined;
}

/** What management reads and writes, over a deployment's tables. */
export function createManagementContext(options: ManagementOptions): ManagementContext {
  const { config, aws = {}, allowLoopbackProviders = false } = options;
  const { dynamodb } = createAwsClients(aws);
  const table = (key: TableKey) => deployedTableName(config, key);
  const store = {
    consistentRead: true,
    onMalformedRecord: options.onMalformedRecord ?? (() => undefined),
  };
  const audit = createDynamoDbAuditLog(dynamodb, table('audit'), store);
  return {
    config,
    allowLoopbackProviders,
    clients: createDynamoDbClientStore(dynamodb, table('clients'), store),
    apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), store),
    identityProviders: createDynamoDbIdentityProviderStore(
      dynamodb,
      table('identityProviders'),
      store,
    ),
    signingKeys: createDynamoDbSigningKeyStore(dynamodb, table('signingKeys'), store),
    audit,
    auditPages: audit,
    fetchJson: createGuardedFetch({ allowLoopback: allowLoopbackProviders, ca: options.ca }),
    clock: Date.now,
    drawBytes: randomBytes,
    actor: options.actor ?? createCallerIdentity(aws),
    onAuditGap: options.onAuditGap,
  };
}
