import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnOutput, Token } from 'aws-cdk-lib';
import { type DeploymentConfig, DeploymentConfigError } from '../contract/deployment-config.ts';
import { scopeName } from '../contract/scopes.ts';
import { quoteWord } from '../contract/shell-word.ts';
import {
  type AuthorizationServer,
  addAuthorizationServer,
  DuplicateLibraryError,
} from './authorization-server.ts';
import { ConfigFileError, readDeploymentConfigFile } from './deployment-config-file.ts';
import { featureFlags } from './feature-flags.ts';
import { operatorDocuments } from './operators/operator-policies.ts';

export { featureFlags } from './feature-flags.ts';

/** What {@link synthesiseApp} makes an app of. */
export interface AppOptions {
  /**
   * Path of the deployment config. `-c config=FILE` of the `cdk` command names another.
   *
   * @default only what the command names
   */
  readonly config?: string;
  /** Adds what is your own, before the synthesis. */
  readonly extend?: (server: AuthorizationServer, app: App) => void;
  /**
   * Folder of the function bundles.
   *
   * @default the ones of this package
   */
  readonly bundles?: string;
}

/** What a person does after the first deployment, as an output of the first region. */
function addNextCommand(
  { regions }: AuthorizationServer,
  { scopes: [scope] }: DeploymentConfig,
  path: string,
): void {
  const [stack] = Object.values(regions);
  if (stack === undefined || scope === undefined) return;
  // Exported, because this command names a next one.
  const variables = `export AUTHCTL_CONFIG=${quoteWord(path)} AWS_REGION=${stack.region}`;
  const command = `client create --name First --trunk-group tg-1 --scope ${scopeName(scope)}`;
  new CfnOutput(stack, 'NextCommand', { value: `${variables}; npx --no -- authctl ${command}` });
}

/** With several regions, a role cannot have the policies of all groups and regions. */
function writeOperatorDocuments(
  { stacks: [stack] }: AuthorizationServer,
  config: DeploymentConfig,
  folder: string,
): void {
  const known = stack?.account;
  const account = known === undefined || Token.isUnresolved(known) ? 'ACCOUNT' : known;
  const documents = operatorDocuments(config, account);
  const file = join(folder, 'operator-policies.json');
  writeFileSync(file, `${JSON.stringify(documents, undefined, 2)}\n`);
  const names = Object.keys(documents).join(', ');
  process.stderr.write(`Policies of operators for all regions are in ${file}: ${names}\n`);
}

/**
 * A whole CDK app with one deployment. A problem that its author can solve is printed without a
 * stack trace, and fails the command.
 *
 * @example
 * synthesiseApp({ config: 'config/production.json' });
 */
export function synthesiseApp({ config, extend, ...options }: AppOptions = {}): void {
  try {
    const app = new App({ context: featureFlags });
    const named: unknown = app.node.tryGetContext('config') ?? config;
    const deployment = readDeploymentConfigFile(named);
    const server = addAuthorizationServer(app, deployment, options);
    addNextCommand(server, deployment, String(named));
    extend?.(server, app);
    app.synth();
    writeOperatorDocuments(server, deployment, app.outdir);
  } catch (error) {
    const isForAuthor = [DeploymentConfigError, ConfigFileError, DuplicateLibraryError].some(
      (type) => error instanceof type,
    );
    if (!isForAuthor) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
