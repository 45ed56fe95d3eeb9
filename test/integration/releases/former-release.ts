import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import { startFunctionProcess } from '../../../lab/emulator/runtime-api/function-process.ts';
import { fromTemplates } from '../../../lab/local/from-synth/program.ts';
import { type LocalRun, startLocal } from '../../../lab/local/start-local.ts';
import {
  type ForwardAuthProcess,
  startForwardAuthProcess,
} from '../../../lab/support/forward-auth-process.ts';
import {
  type KeptDeployment,
  type KeptRelease,
  readRelease,
  writeAssembly,
} from '../../../lab/support/releases/kept-release.ts';
import { type CommandResult, runCommand } from '../../../lab/support/run-command.ts';
import type { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import type { createVerifier } from '../../../verifier/verifier.ts';
import { root } from '../../architecture/source-files.ts';

/** What platforms have installed. */
export interface FormerVerifier {
  readonly createVerifier: typeof createVerifier;
  readonly createDynamoDbLookups: typeof createDynamoDbLookups;
}

/** A release as it was published, in a folder. */
export class FormerRelease {
  readonly #folder: string;
  readonly #kept: KeptRelease;
  readonly #deployment: KeptDeployment;

  constructor(version: string, folder: string) {
    this.#folder = folder;
    this.#kept = readRelease(version);
    this.#deployment = this.#kept.deployments['single-region'] as KeptDeployment;
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'authctl.mjs'), this.#kept.authctl);
    writeFileSync(join(folder, 'verifier.mjs'), this.#kept.verifier);
    writeFileSync(join(folder, 'forward-auth.mjs'), this.#kept.forwardAuth);
    mkdirSync(join(folder, 'authorizer'));
    writeFileSync(join(folder, 'authorizer/index.js'), this.#kept.authorizer);
    writeFileSync(join(folder, 'authorizer/package.json'), '{"type":"commonjs"}');
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

  /** Its `forward-auth`, as a platform runs it behind its proxy. */
  forwardAuth(
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<ForwardAuthProcess> {
    const command = [process.execPath, join(this.#folder, 'forward-auth.mjs')] as const;
    return startForwardAuthProcess({ command, args, environment });
  }

  /** Its authorizer, as a platform's stack deploys it. */
  authorizer(awsRegion: string, environment: Readonly<Record<string, string>>) {
    const taskRoot = join(this.#folder, 'authorizer');
    return startFunctionProcess({ name: 'authorizer', taskRoot, awsRegion, environment });
  }

  /** Its `authctl`, with the tables of a run. */
  authctl(run: LocalRun, ...args: readonly string[]): Promise<CommandResult> {
    const command = [process.execPath, join(this.#folder, 'authctl.mjs'), ...args] as const;
    return runCommand(command, { environment: run.environment });
  }

  readonly verifier = (): Promise<FormerVerifier> =>
    import(join(this.#folder, 'verifier.mjs')) as Promise<FormerVerifier>;
}
