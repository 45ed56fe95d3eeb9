import type { Management } from '../adapters/management.ts';
import { managementOperations, type OperationName } from '../contract/management/operations.ts';
import { deployedTableName } from '../contract/tables.ts';
import { seconds } from '../core/time.ts';
import type { CliIo } from './cli-io.ts';
import {
  commandFor,
  type Deployment,
  type DeploymentOptions,
  getDeployment,
} from './deployment.ts';
import { Output, type OutputOptions } from './output.ts';
import { confirm } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Options of every command. */
export interface GlobalOptions extends OutputOptions, DeploymentOptions {
  readonly yes?: boolean | undefined;
  /** The service trunk groups that the command is restricted to. */
  readonly onlyTrunkGroup?: readonly string[] | undefined;
}

function requireNoRestriction(what: string, { onlyTrunkGroup }: GlobalOptions): void {
  if (onlyTrunkGroup === undefined) return;
  throw new UsageError(
    `--only-trunk-group: ${what} concern every service trunk group; leave the option out`,
  );
}

/** The operations of management. */
export type Operations = Omit<Management, 'forCaller'>;

/** The SDK is loaded by the first operation: --help works without. */
function openLater(open: () => Promise<Management>): Operations {
  let opened: Promise<Management> | undefined;
  const late =
    (name: OperationName) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const operation = (await (opened ??= open()))[name];
      return (operation as (...given: readonly unknown[]) => Promise<unknown>)(...args);
    };
  const names = Object.keys(managementOperations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, late(name)])) as unknown as Operations;
}

/** What a command works with. */
export type Cli = ReturnType<typeof createCli>;

/** @param answerNo called if the command succeeded, and its answer is no: exit code 1. */
export function createCli(io: CliIo, options: GlobalOptions, answerNo: () => void) {
  if (options.json === true && options.quiet === true) {
    throw new UsageError('--json and --quiet: only one can be given');
  }
  const output = new Output(io, options);
  let found: Deployment | undefined;
  const deployment = (): Deployment => {
    found ??= getDeployment(io, options);
    return found;
  };
  const openOptions = { warn: (text: string) => output.warn(text) };
  return {
    io,
    output,
    /** Whether the output is for a script: `--json` or `--quiet`. */
    options,
    /** The deployment that the options name. */
    deployment,
    /** The operations of management on it. */
    management: openLater(async () => {
      const { openManagement } = await import('./open-management.ts');
      const management = await openManagement(deployment(), openOptions);
      const { onlyTrunkGroup: trunkGroups } = options;
      return trunkGroups === undefined ? management : management.forCaller({ trunkGroups });
    }),
    /** What `tables` commands write with: the management library on the tables themselves. */
    tableContext: async () => {
      requireNoRestriction('tables', options);
      const { openTableContext } = await import('./open-table-context.ts');
      return openTableContext(deployment(), openOptions);
    },
    /** The present second. */
    now: () => seconds(Date.now()),
    /** Its whole tables, and other tables next to them. */
    tables: async () => {
      requireNoRestriction('tables', options);
      const { openTables } = await import('./open-tables.ts');
      return openTables(deployment());
    },
    /** The signing keys of the deployment. */
    signingKeys: async () => {
      requireNoRestriction('signing keys', options);
      const { openSigningKeys } = await import('./open-signing-keys.ts');
      return openSigningKeys(deployment(), deployedTableName(deployment().config, 'signingKeys'));
    },
    /** Tells people the next command for the same deployment. @param words what follows `authctl`. */
    suggest: (words: string) => output.note(`Next: ${commandFor(io, options)} ${words}`),
    /** Asks before a change that cannot be undone, unless `--yes` is given. */
    confirm: (question: string) => confirm(io, question, options.yes === true),
    answerNo,
  };
}
