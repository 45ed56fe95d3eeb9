import { Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  type Conditions,
  Effect,
  type IPrincipal,
  OrganizationPrincipal,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { TableReaders } from '../../contract/operations-config.ts';
import {
  batchedPlatformApiActions,
  isPlatformApiTable,
  platformApiCondition,
} from '../../contract/platform-api-tables.ts';
import { deployedTableName, type TableKey, type TableNames } from '../../contract/tables.ts';

export interface ReaderPolicyProps {
  readonly config: TableNames & { readonly tableReaders?: TableReaders | undefined };
  readonly table: TableKey;
  /** AWS region of the replica: each has a policy of its own. */
  readonly awsRegion: string;
}

/** The principals that may read, and the conditions of their statement in addition to the keys. */
interface Readers {
  readonly principals: readonly IPrincipal[];
  readonly conditions?: Conditions;
}

function readersOf({ accounts, organizationId }: TableReaders, ownAccount: string) {
  const readers: Readers[] = [];
  if (accounts !== undefined) {
    readers.push({ principals: accounts.map((account) => new AccountPrincipal(account)) });
  }
  if (organizationId !== undefined) {
    readers.push({
      principals: [new OrganizationPrincipal(organizationId)],
      // A policy for everyone in the organization would allow each role of the tables' own account,
      // without a policy of its own.
      conditions: { StringNotEquals: { 'aws:PrincipalAccount': ownAccount } },
    });
  }
  return readers;
}

/**
 * The policy of a table that platform APIs of other accounts read. It allows the accounts; which of
 * their roles may read is their own IAM's decision.
 *
 * @returns undefined if no other account reads this table.
 */
export function readerPolicy(
  scope: Construct,
  { config, table, awsRegion }: ReaderPolicyProps,
): PolicyDocument | undefined {
  if (config.tableReaders === undefined || !isPlatformApiTable(table)) return undefined;
  // The table's own ARN cannot be referenced in its own policy.
  const resource = Stack.of(scope).formatArn({
    service: 'dynamodb',
    region: awsRegion,
    resource: 'table',
    resourceName: deployedTableName(config, table),
  });
  return new PolicyDocument({
    statements: readersOf(config.tableReaders, Stack.of(scope).account).map(
      ({ principals, conditions }) =>
        new PolicyStatement({
          effect: Effect.ALLOW,
          principals: [...principals],
          actions: [...batchedPlatformApiActions],
          resources: [resource],
          conditions: { ...platformApiCondition(table), ...conditions },
        }),
    ),
  });
}
