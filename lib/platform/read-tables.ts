import { Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  type PlatformApiTable,
  platformApiCondition,
  platformApiTables,
  recordKeyUseAction,
  recordKeyUseCondition,
} from '../../contract/platform-api-tables.ts';
import { parseTableLocation, tableLocationHelp } from '../../contract/table-location.ts';
import { tableName } from '../../contract/tables.ts';

/** ARNs of the tables that a platform API reads. */
export type TableArns = Readonly<Record<PlatformApiTable, string>>;

/** A `tables` that names no tables. */
class TablesError extends Error {
  override readonly name = 'TablesError';
}

/**
 * The tables of an authorization server.
 *
 * @param tables the beginning of their names, in this account and AWS region, or of their ARNs.
 * @throws {TablesError} if it is neither.
 */
export function tableArns(scope: Construct, tables: string): TableArns {
  const location = Token.isUnresolved(tables) ? undefined : parseTableLocation(tables);
  if (location === undefined) {
    const received = Token.isUnresolved(tables) ? 'a token of CDK' : JSON.stringify(tables);
    throw new TablesError(`tables: received ${received}; allowed: ${tableLocationHelp}`);
  }
  const arnOf = (name: string) =>
    location.awsRegion === undefined
      ? Stack.of(scope).formatArn({ service: 'dynamodb', resource: 'table', resourceName: name })
      : name;
  return Object.fromEntries(
    platformApiTables.map((key) => [key, arnOf(tableName(tables, key))]),
  ) as unknown as TableArns;
}

/** Permissions to read each table by its own keys. */
export function readTablesOf(
  tables: TableArns,
  actions: readonly string[],
): readonly PolicyStatement[] {
  return platformApiTables.map(
    (key) =>
      new PolicyStatement({
        actions: [...actions],
        resources: [tables[key]],
        conditions: platformApiCondition(key),
      }),
  );
}

/** Permission to record the last use of API keys, in the only table that a platform API writes to. */
export function recordUsesIn(tableArn: string): PolicyStatement {
  return new PolicyStatement({
    actions: [recordKeyUseAction],
    resources: [tableArn],
    conditions: recordKeyUseCondition,
  });
}
