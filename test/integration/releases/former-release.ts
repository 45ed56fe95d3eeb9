import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/access-control.ts';
import { fromTemplates } from '../../../lab/local/from-synth/program.ts';
import { type LocalRun, startLocal } from '../../../lab/local/start-local.ts';
import {
  type KeptDeployment,
  type KeptRelease,
  readRelease,
  writeAssembly,
} from '../../../lab/support/releases/kept-release.ts';
import { type CommandResult, runCommand } from '../../../lab/support/run-command.ts';
import type { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { root } from '../../architecture/source-files.ts';

/** What platforms have installed. Its look-ups have had these members since the first release. */
export interface FormerVerifier {
  readonly createDynamoDbLookups: typeof createDynamoDbLookups;
}

/** A release as it was published, in a folder. */
export class FormerRelease {
  readonly #folder: string;
  readonly #kept: KeptRelease;
  readonly #deployment: KeptDeployment;

  constructor(commit: string, folder: string) {
    this.#folder = folder;
    this.#kept = readRelease(commit);
    this.#deployment = this.#kept.deployments['single-region'] as KeptDeployment;
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'authctl.mjs'), this.#kept.authctl);
    writeFileSync(join(folder, 'verifier.mjs'), this.#kept.verifier);
  }

  get config() {
    return this.#deployment.config;
  }

  /** Its functions, in processes of their own and with the permissions of its templates. */
  async serve(
    stateDirectory: string,
    onDecision?: (request: DecidedRequest) => void,
  ): Promise<LocalRun> {
    const directory = join(this.#folder, 'cdk.out');
    writeAssembly(this.#deployment, directory);
    const program = fromTemplates({ directory, config: this.write(this.config) });
    return startLocal({ port: 0, stateDirectory, program, onDecision });
  }

  /** @returns the path of the config. */
  write(config: DeploymentConfigInput): string {
    const path = join(this.#folder, `${config.name}.json`);
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  /** Its `authctl`, with the tables of a run. */
  authctl(run: LocalRun, ...args: readonly string[]): Promise<CommandResult> {
    const command = [process.execPath, join(this.#folder, 'authctl.mjs'), ...args] as const;
    return runCommand(command, { environment: run.environment });
  }

  readonly verifier = (): Promise<FormerVerifier> =>
    import(join(this.#folder, 'verifier.mjs')) as Promise<FormerVerifier>;
}
