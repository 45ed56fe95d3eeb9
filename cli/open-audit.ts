import { createAwsClients } from '../adapters/aws-clients.ts';
import { createDynamoDbAuditLog } from '../adapters/dynamodb/audit-log.ts';
import { deployedTableName } from '../contract/tables.ts';
import type { AuditReader } from '../core/audit/audit-log.ts';
import type { Deployment } from './deployment.ts';

/** The audit of a deployment, in the region that the deployment's options name. */
export function openAudit(deployment: Deployment, warn: (text: string) => void): AuditReader {
  const { dynamodb } = createAwsClients(deployment.aws);
  return createDynamoDbAuditLog(dynamodb, deployedTableName(deployment.config, 'audit'), {
    consistentRead: true,
    onMalformedRecord: (error) => warn(`left out: ${error.message}`),
  });
}
