import { deployedTableName } from '../contract/tables.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { limitToTrunkGroups } from '../core/management/trunk-group-limit.ts';
import type { CliIo } from './cli-io.ts';
import { confirm } from './confirm.ts';
import { type Deployment, type DeploymentOptions, findDeployment } from './deployment.ts';
import type { SigningKeys } from './open-signing-keys.ts';
import type { Tables } from './open-tables.ts';
import { Output, type OutputOptions } from './output.ts';
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
  /** The management library over it. */
  readonly management: () => Promise<ManagementContext>;
  /** Its whole tables, and other tables next to them. */
  readonly tables: () => Promise<Tables>;
  /** The signing keys of the deployment. */
  readonly signingKeys: () => Promise<SigningKeys>;
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
  const deployment = () => findDeployment(io, options);
  return {
    io,
    output,
    options,
    deployment,
    // The SDK is loaded only when it is needed: --help and completion work without it.
    management: async () => {
      const found = deployment();
      const { openManagement } = await import('./open-management.ts');
      const context = openManagement(found, {
        auditFile: io.env.AUTHCTL_AUDIT_FILE || undefined,
        warn: (text) => output.warn(text),
      });
      const { onlyTrunkGroup } = options;
      return onlyTrunkGroup === undefined ? context : limitToTrunkGroups(context, onlyTrunkGroup);
    },
    tables: async () => {
      requireNoLimit('tables', options);
      const found = deployment();
      const { openTables } = await import('./open-tables.ts');
      return openTables(found, (text) => output.warn(text));
    },
    signingKeys: async () => {
      requireNoLimit('signing keys', options);
      const found = deployment();
      const { openSigningKeys } = await import('./open-signing-keys.ts');
      return openSigningKeys(found, deployedTableName(found.config, 'signingKeys'));
    },
    confirm: (question) => confirm(io, question, options.yes === true),
    answerNo,
  };
}
