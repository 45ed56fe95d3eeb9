import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import { formatDemoEnvironment } from '../../../lab/local/demo-environment.ts';
import { fromTemplates } from '../../../lab/local/from-synth/program.ts';
import type { FromSynth } from '../../../lab/local/from-synth/synthesised-deployment.ts';
import { type LocalOptions, type LocalRun, startLocal } from '../../../lab/local/start-local.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { type CliRun, runCli } from '../cli/use-authctl.ts';
import { synthesiseService } from '../lab/local/synthesise-service.ts';

export interface EnforcedService {
  readonly run: () => LocalRun;
  readonly fromSynth: () => FromSynth;
  /** Every request that IAM decided so far. */
  readonly decisions: readonly DecidedRequest[];
  /** Runs `authctl` as the administrator or, if one is named, as a user with an operator's policy. */
  readonly authctl: (
    args: readonly string[],
    operator?: string,
    through?: 'tables' | 'function',
  ) => Promise<CliRun>;
  /** The same with `--json --yes`; what was printed, parsed. */
  readonly json: (args: readonly string[], operator?: string) => Promise<Record<string, string>>;
}

/** Name of an operator's managed policy in the local run's templates. */
export function policyName(operator: string): string {
  return `local-slc-${operator}`;
}

/** The service from templates, which lets every function and operator do what its policy allows. */
export function useEnforcedService(
  config: Partial<DeploymentConfigInput> = {},
  local: Pick<LocalOptions, 'https'> = {},
): EnforcedService {
  const folder = makeTemporaryDirectory();
  const decisions: DecidedRequest[] = [];
  let running: LocalRun | undefined;
  let synthesised: FromSynth | undefined;
  beforeAll(async () => {
    synthesised = synthesiseService(folder.path, {}, config);
    running = await startLocal({
      ...local,
      port: 0,
      keyScheduleSeconds: 1,
      stateDirectory: folder.path,
      program: fromTemplates(synthesised),
      onDecision: (request) => decisions.push(request),
    });
    if (running.caPath !== undefined) {
      const authority = readFileSync(running.caPath, 'utf8');
      setDefaultCACertificates([...getCACertificates('default'), authority]);
    }
  });
  afterAll(async () => {
    await running?.close();
    folder.remove();
  });
  const run = () => {
    if (running === undefined) throw new Error('the service has not started');
    return running;
  };
  const authctl: EnforcedService['authctl'] = (args, operator, through = 'function') =>
    runCli([...args, '--local', '--through', through], {
      cwd: writeEnvironment(run(), folder.path, operator),
    });
  return {
    run,
    fromSynth: () => {
      if (synthesised === undefined) throw new Error('nothing was synthesised');
      return synthesised;
    },
    decisions,
    authctl,
    json: async (args, operator) => {
      const { stdout, stderr } = await authctl([...args, '--json', '--yes'], operator);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, string>;
    },
  };
}

/** @returns a folder in which `authctl --local` finds the operator's access key. */
function writeEnvironment(run: LocalRun, folder: string, operator?: string): string {
  const own = operator === undefined ? undefined : run.operatorKeys.get(policyName(operator));
  const key = own ?? run.aws.credentials;
  const directory = join(folder, 'operators', operator ?? 'who started it');
  mkdirSync(join(directory, '.local'), { recursive: true });
  const environment = {
    ...run.environment,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  };
  writeFileSync(join(directory, '.local', 'demo.env'), formatDemoEnvironment(environment));
  return directory;
}
