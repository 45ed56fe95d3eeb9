import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createRestoredTables } from '../../adapters/dynamodb/stores/restored-tables.ts';
import { createManagementContext } from '../../adapters/management-tables.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { type RestorableTable, restores } from '../../core/restore/restore-tables.ts';
import { seconds } from '../../core/time.ts';
import { createMemoryShelf } from './memory-shelf.ts';

/** `authctl table restore TABLE --from FROM --restore-point now`, without an audit. */
export function restoreTable(
  { aws, config }: { readonly aws: AwsClientOptions; readonly config: DeploymentConfig },
  table: RestorableTable,
  from: string,
) {
  const stored = createRestoredTables({
    dynamodb: createDynamoDbClient(aws),
    from,
    tableOf: (key) => deployedTableName(config, key),
    store: { consistentRead: true },
  });
  return restores[table](
    createManagementContext({ config, aws, actor: async () => 'test' }),
    stored,
    {
      // biome-ignore lint/correctness/useYield: there is no audit.
      async *readAudit() {},
      shelf: createMemoryShelf(),
      undelete: new Set(),
      since: seconds(Date.now()),
      dryRun: false,
    },
  );
}
