import assert from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Manifest, stagePackages } from '../../build/stage.ts';
import { buildProject, writeProject } from '../../create/project.ts';
import type { Cloud, Outputs } from '../../ministack/cloud.ts';
import { getToken, say, verifyToken } from '../../ministack/proof.ts';
import { linkPackages } from '../../support/link-packages.ts';

const awsRegion = 'eu-central-1';
const audience = 'https://api.example.com';
const stackName = 'AuthorizationServer-slc';

export const createdProjectNames = [`*.execute-api.${awsRegion}.amazonaws.com`];

/** What `npm install` would put into the project, from the packed packages and without a network. */
async function install(project: string, work: string): Promise<void> {
  const wanted = ['constructs', 'authctl'];
  const staged = (await stagePackages(work)).filter(({ folder }) =>
    wanted.includes(basename(folder)),
  );
  const dependenciesOf = ({ dependencies, peerDependencies }: Manifest) =>
    Object.keys({ ...dependencies, ...peerDependencies });
  const dependencies = staged.flatMap(({ manifest }) => dependenciesOf(manifest));
  linkPackages(project, [...new Set([...dependencies, 'aws-cdk'])]);
  const modules = join(project, 'node_modules');
  for (const { manifest, folder } of staged) {
    cpSync(folder, join(modules, manifest.name), { recursive: true });
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../aws-cdk/bin/cdk', join(modules, '.bin/cdk'));
  symlinkSync('../@authorization-server-aws/authctl/bin/authctl.js', join(modules, '.bin/authctl'));
}

/** What a person reads at the end of `cdk deploy`. */
function readOutputs(printed: string): Outputs {
  const lines = printed.matchAll(new RegExp(`^${stackName}\\.(\\w+) = (.*)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Deploys what `npm create` makes, with the CDK of the project, and then does what each step says
 * comes next, until there is a token.
 */
export async function proveCreatedProject(cloud: Cloud, work: string): Promise<void> {
  const project = join(work, 'my-authorization');
  const pins = { own: () => '0.0.0', cdk: '0.0.0', cdkLib: '0.0.0', constructs: '0.0.0' };
  writeProject(project, buildProject({ awsRegion, audience }, pins));
  await install(project, join(work, 'staged'));
  await cloud.bootstrap(awsRegion);
  await cloud.shell('npx --no -- cdk synth --quiet', {}, project);
  const { directory } = cloud.addAssembly('project', (target) =>
    cpSync(join(project, 'cdk.out'), target, { recursive: true }),
  );
  const deploy = `npx --no -- cdk deploy --app '${directory}' --require-approval never 2>&1`;
  const outputs = readOutputs(await cloud.shell(deploy, {}, project));
  const { Issuer = '', TokenUrl = '', JwksUri = '', NextCommand = '' } = outputs;
  say(`cdk deploy printed the token URL ${TokenUrl}, and the next command:`);
  say(NextCommand);
  const created = await cloud.shell(`${NextCommand} 2>&1`, {}, project);
  const clientId = /\bclient_\w{22}\b/.exec(created)?.[0] ?? assert.fail(created);
  const then = /^Next: (.*)$/m.exec(created)?.[1] ?? assert.fail(created);
  say(`it made a client, and says what comes next: ${then}`);
  // In the terminal of the command before.
  const [variables] = NextCommand.split('; ');
  const secret = await cloud.shell(`${variables}; ${then} --quiet`, {}, project);
  const token = await getToken(TokenUrl, { clientId, clientSecret: secret.trim() });
  await verifyToken(token, { issuer: Issuer, jwksUri: JwksUri, audience });
  say('a token of this client and secret verifies');
}
