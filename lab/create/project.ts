import {
  DeploymentConfigError,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { awsRegions, type RegionId } from '../../contract/regions.ts';
import { CreateError } from './create-error.ts';

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
  if (awsRegions.includes(awsRegion)) return;
  throw new CreateError(`--region: received "${awsRegion}"; allowed: ${awsRegions.join(', ')}`);
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
    "aws-cdk-lib": "${cdkLib}",
    "constructs": "${constructs}"
  },
  "devDependencies": {
    "@authorization-server-aws/authctl": "${own('authctl')}",
    "@authorization-server-aws/local": "${own('local')}",
    "aws-cdk": "${cdk}"
  }
}
`;
}

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
    '.gitignore': 'node_modules/\ncdk.out/\n.local/\n',
  };
}
