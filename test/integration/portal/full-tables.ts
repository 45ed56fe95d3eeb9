import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the tables hold in the process that `startFullTables` starts. */
export interface FullTables {
  readonly endpoint: string;
  /** One of each, for the pages that show one. */
  readonly clientId: string;
  readonly secretId: string;
  readonly keyId: string;
  readonly subnetId: string;
  readonly issuer: string;
}

export interface FullTablesSize {
  readonly clients: number;
  readonly apiKeys: number;
  readonly providers: number;
  /** Records in the audit of today. */
  readonly changes: number;
}

/**
 * DynamoDB with full tables, in a process of its own: its CPU time is not that of the portal.
 */
export async function startFullTables(
  size: FullTablesSize,
): Promise<FullTables & { readonly stop: () => void }> {
  const path = join(import.meta.dirname, 'full-tables-process.ts');
  const child: ChildProcess = fork(path, [JSON.stringify(size)], { execArgv: [] });
  const [tables] = (await once(child, 'message')) as [FullTables];
  return { ...tables, stop: () => void child.kill() };
}
