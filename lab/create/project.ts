import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeploymentConfigError,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { stackId } from '../../contract/function-names.ts';
import { findRegionProblem } from '../../contract/partitions.ts';
import type { RegionId } from '../../contract/regions.ts';
import { runVisibly } from '../support/visible-wait.ts';

/** What a person chooses. */
export interface Choices {
  readonly awsRegion: string;
  readonly audience: string;
}

/** Exact versions that are tested together. */
export interface Pins {
  /** What npm installs of a package of this project, by the package's name without the scope. */
  readonly own: (name: string) => string;
  readonly cdkLib: string;
  readonly cdk: string;
  readonly constructs: string;
}

/** A deployment of one region has one of the platform's names for it. */
const region: RegionId = 'slc';

function buildConfig({ awsRegion, audience }: Choices): DeploymentConfigInput {
  return {
    regions: { [region]: { awsRegion } },
    // Said, because the role is of the whole account and AWS region.
    apiGatewayLogRole: 'create',
    defaultAudience: audience,
    scopes: [
      { service: 'messaging', permission: 'view', description: 'Read messages' },
      { service: 'messaging', permission: 'manage', description: 'Send and delete messages' },
    ],
  };
}

/** @throws {CreateError} if it is not an AWS region. */
export function checkRegion(awsRegion: string): void {
  const allowed = findRegionProblem(awsRegion);
  if (allowed === undefined) return;
  throw new CreateError(`--region: received "${awsRegion}"; allowed: ${allowed}`);
}

/** @throws {CreateError} if it cannot be the audience of a deployment. */
export function checkAudience(audience: string): void {
  try {
    parseDeploymentConfig(buildConfig({ awsRegion: 'us-west-2', audience }));
  } catch (error) {
    if (!(error instanceof DeploymentConfigError)) throw error;
    const problems = error.problems.join('; ').replace('defaultAudience', '--audience');
    throw new CreateError(problems, { cause: error });
  }
}

const configFile = 'authorization-server.json';

const app = `import { synthesiseApp } from '@authorization-server-aws/constructs/app';

synthesiseApp({ config: '${configFile}' });
`;

function formatManifest({ own, cdkLib, cdk, constructs }: Pins): string {
  return `{
  "private": true, "type": "module", "allowScripts": { "classic-level": false },
  "scripts": { "start": "test -d node_modules || npm install && authorization-server-local --config ${configFile}" },
  "dependencies": {
    "@authorization-server-aws/constructs": "${own('constructs')}",
    "aws-cdk-lib": "${cdkLib}", "constructs": "${constructs}"
  },
  "devDependencies": {
    "@authorization-server-aws/authctl": "${own('authctl')}",
    "@authorization-server-aws/local": "${own('local')}",
    "aws-cdk": "${cdk}"
  }
}
`;
}

/** What the project is for its next reader, and the commands as they must be typed. */
const readme = `# Authorization server

\`${configFile}\` is the config. Its keys are those of the type \`DeploymentConfigInput\` of \`@authorization-server-aws/constructs/deployment-config\`; a wrong one is refused with what is allowed.

| command | does |
|---|---|
| \`npm start\` | runs the service on this machine, with this config |
| \`npx cdk diff\` | shows what a deployment would change |
| \`npx cdk deploy --import-existing-resources\` | deploys one region |

The outputs of a deployment have the command that makes a client. The first deployment in an account and region needs \`npx cdk bootstrap\`. With several regions there is a stack of the shared tables. \`npx cdk list\` prints the names; deploy one after the other:

\`\`\`sh
npx cdk deploy ${stackId('data')} --import-existing-resources
npx cdk deploy ${stackId('slc')} --exclusively --import-existing-resources
npx cdk deploy ${stackId('dfw')} --exclusively --import-existing-resources
\`\`\`
`;

/** Each key has a line, and each entry of a list. */
function formatConfig(choices: Choices): string {
  const lines = Object.entries(buildConfig(choices)).map(([key, value]) => {
    const entries = Array.isArray(value) ? value.map((each) => `    ${JSON.stringify(each)}`) : [];
    const text = entries.length > 0 ? `[\n${entries.join(',\n')}\n  ]` : JSON.stringify(value);
    return `  "${key}": ${text}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

/**
 * The files of a project, by their path in its folder.
 *
 * @throws {CreateError} if a choice cannot be deployed.
 */
export function buildProject(choices: Choices, pins: Pins): Readonly<Record<string, string>> {
  checkRegion(choices.awsRegion);
  checkAudience(choices.audience);
  return {
    'package.json': formatManifest(pins),
    'app.js': app,
    'cdk.json': '{ "app": "node app.js", "versionReporting": false }\n',
    [configFile]: formatConfig(choices),
    'README.md': readme,
    // A script of a package that `allowScripts` does not name is an error, not a warning.
    '.npmrc': 'strict-allow-scripts=true\n',
    '.gitignore': 'node_modules/\ncdk.out/\n.local/\n',
  };
}

/** What a new project may find in its folder. */
const harmless: ReadonlySet<string> = new Set(['.git']);

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CreateError(
      `${folder} cannot be used (${(error as NodeJS.ErrnoException).code}); name a new folder`,
      { cause: error },
    );
  }
}

/** @throws {CreateError} if a folder has files, which are left alone. */
export function checkFolder(folder: string): void {
  const found = listFolder(folder).filter((name) => !harmless.has(name));
  if (found.length > 0) {
    const some = `${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}`;
    throw new CreateError(`${folder} is not empty (${some}); name a new folder`);
  }
}

/**
 * Writes the files of a project into a new or empty folder.
 *
 * @throws {CreateError} if the folder has other files, which are left alone.
 */
export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  checkFolder(folder);
  try {
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  } catch (error) {
    throw new CreateError(
      `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); name another folder`,
      { cause: error },
    );
  }
}

/** A problem that the person can solve. Its message is shown without a stack trace. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}

/** Codes of npm that mean: the registry did not answer. */
const offline =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/**
 * Installs a project with the npm that called this command.
 *
 * @throws {CreateError} if npm fails. The project stays, so that one command completes it.
 */
export async function installProject(folder: string, npm: string | undefined): Promise<void> {
  // The local run is a development dependency, and npm's settings may leave these out, as a clone's do.
  const args = ['install', '--include=dev', '--no-audit', '--no-fund'];
  const head = npm === undefined ? (['npm'] as const) : ([process.execPath, npm] as const);
  const what = `Installing the packages of ${folder}`;
  const usual = '20 to 120 seconds';
  const { status, errors } = await runVisibly(what, usual, [...head, ...args], folder);
  if (status === 0) return;
  const code = offline.exec(errors)?.[1];
  throw new CreateError(
    code === undefined
      ? `npm install failed: ${errors.trim()}\nThe project is in ${folder}: run "npm install" there after the repair`
      : `the npm registry does not answer (${code}); the project is in ${folder}: run "npm install" there when it does`,
  );
}
