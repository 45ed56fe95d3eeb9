import { tables } from '../../../contract/tables.ts';
import { operations as kmsOperations } from '../kms/operations.ts';
import type { FaultyService } from './aws-error-codes.ts';

/** Operations that this project calls. A rule with any other would match no call. */
export const faultyOperations: Readonly<Record<FaultyService, readonly string[]>> = {
  dynamodb: [
    'CreateTable',
    'DeleteItem',
    'DescribeTable',
    'GetItem',
    'PutItem',
    'Query',
    'Scan',
    'UpdateItem',
  ],
  kms: [...kmsOperations.keys()],
};

/** Tables in rules, without the deployment's name. */
export const faultyTables: readonly string[] = Object.values(tables).map(({ suffix }) => suffix);

/** Faults of tables: KMS has no replicas. */
export const tableFaults: readonly string[] = [
  'stale_read',
  'paused_replication',
  'isolated_region',
];
