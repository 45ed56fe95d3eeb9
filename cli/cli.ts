import type { Management } from '../adapters/management.ts';
import { deployedTableName } from '../contract/tables.ts';
import { seconds } from '../core/clock.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import type { CliIo } from './cli-io.ts';
import {
  commandFor,
  type Deployment,
  type DeploymentOptions,
  getDeployment,
} from './deployment.ts';
import type { openSigningKeys } from './open-signing-keys.ts';
import type { openTables } from './open-tables.ts';
import { Output, type OutputOptions } from './output.ts';
import { confirm } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Options of every command. */
export interface GlobalOptions extends OutputOptions, DeploymentOptions {
  readonly yes?: boolean | undefined;
  /** The service trunk groups that the command is limited to. */
  readonly onlyTrunkGroup?: readonly string[] | undefined;
}

/** What a command works with. */
export interface Cli {
  readonly io: CliIo;
  readonly output: Output;
  /** Whether the output is for a script: `--json` or `--quiet`. */
  readonly options: GlobalOptions;
  /** The deployment that the options name. */
  readonly deployment: () => Deployment;
  /** The management of it. */
  readonly management: () => Promise<Management>;
  /** Its whole tables, and other tables next to them. */
  readonly tables: () => Promise<ReturnType<typeof openTables>>;
  /** What `tables` commands write with: the management library on the tables themselves. */
  readonly tableContext: () => Promise<ManagementContext>;
  /** The present second. */
  readonly now: () => number;
  /** The signing keys of the deployment. */
  readonly signingKeys: () => Promise<ReturnType<typeof openSigningKeys>>;
  /** Tells people the next command for the same deployment. @param words what follows `authctl`. */
  readonly suggest: (words: string) => void;
  /** Asks before a change that cannot be undone, unless `--yes` is given. */
  readonly confirm: (question: string) => Promise<void>;
  /** The command succeeded, and its answer is no: exit code 1. */
  readonly answerNo: () => void;
}

function requireNoLimit(what: string, { onlyTrunkGroup }: GlobalOptions): void {
  if (onlyTrunkGroup === undefined) return;
  throw new UsageError(
    `--only-trunk-group: ${what} concern every service trunk group; leave the option out`,
  );
}

export function createCli(io: CliIo, options: GlobalOptions, answerNo: () => void): Cli {
  if (options.json === true && options.quiet === true) {
    throw new UsageError('--json and --quiet: only one can be given');
  }
  const output = new Output(io, options);
  let found: Deployment | undefined;
  const deployment = (): Deployment => {
    found ??= getDeployment(io, options);
    return found;
  };
  const openOptions = {
    auditFile: io.env.AUTHCTL_AUDIT_FILE || undefined,
    warn: (text: string) => output.warn(text),
  };
  return {
    io,
    output,
    options,
    deployment,
    // The SDK is loaded only when it is needed: --help and completion work without it.
    management: async () => {
      const { openManagement } = await import('./open-management.ts');
      const management = await openManagement(deployment(), openOptions);
      const { onlyTrunkGroup: trunkGroups } = options;
      return trunkGroups === undefined ? management : management.forCaller({ trunkGroups });
    },
    tableContext: async () => {
      requireNoLimit('tables', options);
      const { openTableContext } = await import('./open-table-context.ts');
      return openTableContext(deployment(), openOptions);
    },
    now: () => seconds(Date.now()),
    tables: async () => {
      requireNoLimit('tables', options);
      const { openTables } = await import('./open-tables.ts');
      return openTables(deployment(), (text) => output.warn(text));
    },
    signingKeys: async () => {
      requireNoLimit('signing keys', options);
      const { openSigningKeys } = await import('./open-signing-keys.ts');
      return openSigningKeys(deployment(), deployedTableName(deployment().config, 'signingKeys'));
    },
    suggest: (words) => output.note(`Next: ${commandFor(io, options)} ${words}`),
    confirm: (question) => confirm(io, question, options.yes === true),
    answerNo,
  };
}
