import { createDynamoDbClient } from '../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbAuditLog } from '../adapters/dynamodb/stores/audit-log.ts';
import { copyTable, type TableCopy } from '../adapters/dynamodb/stores/copy-table.ts';
import { createRestoredTables } from '../adapters/dynamodb/stores/restored-tables.ts';
import { deployedTableName } from '../contract/tables.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import { RefusedError } from '../core/errors.ts';
import type { Deployment } from './deployment.ts';

/** Whole tables of a deployment, and other tables in the same AWS region. */
export function openTables(deployment: Deployment, warn: (text: string) => void) {
  const { config, aws } = deployment;
  const dynamodb = createDynamoDbClient(aws);
  return {
    copy: (request: TableCopy) => copyTable(dynamodb, request),
    restored: (table: string) =>
      createRestoredTables(dynamodb, table, {
        consistentRead: true,
        onMalformedRecord: (error) => warn(`left out: ${error.message}`),
      }),
    /** Every record of the given days, from the audit of each AWS region. */
    readAudit: async (awsRegions: readonly string[], days: readonly string[]) => {
      const records: AuditRecord[] = [];
      for (const region of awsRegions) {
        const regional = createDynamoDbClient({ ...aws, region });
        const reader = createDynamoDbAuditLog(regional, deployedTableName(config, 'audit'), {
          consistentRead: true,
          onMalformedRecord: ({ message }) => {
            throw new RefusedError(
              `${message}, in ${region}: its revocations are not known, so nothing is restored`,
            );
          },
        });
        for (const day of days) {
          for await (const record of reader.listAudit(day)) records.push(record);
        }
      }
      return records;
    },
  };
}
