import { createAwsClients } from '../adapters/aws-clients.ts';
import { createDynamoDbAuditLog } from '../adapters/dynamodb/audit-log.ts';
import { tableName } from '../contract/tables.ts';
import type { AuditReader } from '../core/audit/audit-log.ts';
import type { Deployment } from './deployment.ts';

/** The audit of a deployment, in the region that the deployment's options name. */
export function openAudit(deployment: Deployment, warn: (text: string) => void): AuditReader {
  const { dynamodb } = createAwsClients(deployment.aws);
  return createDynamoDbAuditLog(dynamodb, tableName(deployment.config.name, 'audit'), {
    consistentRead: true,
    onMalformedRecord: (error) => warn(`left out: ${error.message}`),
  });
}
