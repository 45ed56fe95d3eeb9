import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { createAwsClients } from '../adapters/aws-clients.ts';
import { createDynamoDbApiKeyStore } from '../adapters/dynamodb/api-key-store.ts';
import { createDynamoDbAuditLog } from '../adapters/dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from '../adapters/dynamodb/client-store.ts';
import { createDynamoDbIdentityProviderStore } from '../adapters/dynamodb/identity-provider-store.ts';
import { createDynamoDbSigningKeyStore } from '../adapters/dynamodb/signing-key-store.ts';
import { createGuardedFetch } from '../adapters/https/guarded-fetch.ts';
import { createCallerIdentity } from '../adapters/sts/caller-identity.ts';
import { type TableKey, tableName } from '../contract/tables.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { withAuditFile } from './audit-file.ts';
import type { Deployment } from './deployment.ts';

export interface OpenOptions {
  /** File to which each audit record is appended besides, one JSON document a line. */
  readonly auditFile?: string | undefined;
  readonly warn: (text: string) => void;
}

/** On AWS the caller is who AWS says; on this machine there is only the login name. */
function createActor(deployment: Deployment): () => Promise<string> {
  if (deployment.isLoopback) return async () => `local:${userInfo().username}`;
  return createCallerIdentity(deployment.aws);
}

/** The management library over a deployment's tables. */
export function openManagement(deployment: Deployment, options: OpenOptions): ManagementContext {
  const { dynamodb } = createAwsClients(deployment.aws);
  const table = (key: TableKey) => tableName(deployment.config.name, key);
  const store = {
    consistentRead: true,
    onMalformedRecord: (error: Error) => options.warn(`left out: ${error.message}`),
  };
  const audit = createDynamoDbAuditLog(dynamodb, table('audit'), store);
  return {
    config: deployment.config,
    allowLoopbackProviders: deployment.allowLoopbackProviders,
    clients: createDynamoDbClientStore(dynamodb, table('clients'), store),
    apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), store),
    identityProviders: createDynamoDbIdentityProviderStore(
      dynamodb,
      table('identityProviders'),
      store,
    ),
    signingKeys: createDynamoDbSigningKeyStore(dynamodb, table('signingKeys'), store),
    audit: options.auditFile === undefined ? audit : withAuditFile(audit, options.auditFile),
    fetchJson: createGuardedFetch({
      allowLoopback: deployment.allowLoopbackProviders,
      ca: deployment.ca,
    }),
    clock: Date.now,
    drawBytes: randomBytes,
    actor: createActor(deployment),
    onAuditGap: (record) =>
      options.warn(
        `warning: the change was made, but its outcome could not be written to the audit (${record.recordId})`,
      ),
  };
}
