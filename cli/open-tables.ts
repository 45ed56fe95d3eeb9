import { createDynamoDbClient } from '../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbAuditLog } from '../adapters/dynamodb/stores/audit-log.ts';
import { createRestoredTables } from '../adapters/dynamodb/stores/restored-tables.ts';
import { deployedTableName } from '../contract/tables.ts';
import { RefusedError } from '../core/errors.ts';
import type { Deployment } from './deployment.ts';

/** Whole tables of a deployment, and other tables in the same AWS region. */
export function openTables(deployment: Deployment) {
  const { config, aws } = deployment;
  const dynamodb = createDynamoDbClient(aws);
  return {
    /** @param onLeftOut runs for each item that cannot be read. */
    restored: (from: string, onLeftOut: (error: Error) => void) =>
      createRestoredTables({
        dynamodb,
        from,
        tableOf: (table) => deployedTableName(config, table),
        store: { consistentRead: true, onMalformedRecord: onLeftOut },
      }),
    /** Every record of the given days, from the audit of each AWS region, one region after another. */
    async *readAudit(awsRegions: readonly string[], days: readonly string[]) {
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
        for (const day of days) yield* reader.listAudit(day);
      }
    },
  };
}
