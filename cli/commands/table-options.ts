import type { CopiedTable } from '../../adapters/dynamodb/copy-table.ts';
import { deployedTableName, tables } from '../../contract/tables.ts';
import type { Cli } from '../cli.ts';
import { mandatory, option } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

export const tableArgument = [
  'table',
  'clients, api-keys, identity-providers or, to copy, signing-keys',
] as const;

export const fromOption = () =>
  mandatory(option('--from <table>', 'full name of the table to read, in AWS_REGION'));

/** Reads the suffix of a table's name: `api-keys`. */
export function readTable<T extends CopiedTable>(
  name: string | undefined,
  allowed: readonly T[],
): T {
  const found = allowed.find((key) => tables[key].suffix === name);
  if (found !== undefined) return found;
  const names = allowed.map((key) => tables[key].suffix).join(', ');
  throw new UsageError(`table: received "${name}"; allowed: ${names}`);
}

/** The deployment's own table. */
export function targetOf(cli: Cli, table: CopiedTable, from: string): string {
  const target = deployedTableName(cli.deployment().config, table);
  if (from !== target) return target;
  throw new UsageError(
    `--from: received "${from}", which is the deployment's own table; allowed: another one`,
  );
}

/** `2 restored, 1 dropped`. */
export function countOutcomes(rows: readonly { readonly outcome: string }[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of rows) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
