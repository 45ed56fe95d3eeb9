import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { buildLambdas } from '../../build/main.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { makePythonEnvironment } from '../../support/runtimes.ts';

/*
 * Runs cfn-lint and checkov on every template of every example in config/, also with readers in
 * other accounts and with the portal for customers, of the ECS example and of a platform team's API, and compares the Kubernetes
 * example with the schemas of Kubernetes. It needs Python's pip; if that is missing it says so and
 * ends with 0, since CDK's own checks have run in the template tests.
 */

const root = resolve(import.meta.dirname, '../../..');

/** Sidecars (restartable init containers) are stable from 1.29 on. */
const kubernetesVersions = ['1.29', '1.37'];

const platformApi = {
  awsRegion: 'us-west-2',
  issuer: 'https://auth.example.com',
  audience: 'https://api.example.com',
};

function run(
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return runOrThrow(command, { cwd: root, environment });
}

/** With the keys that have no default, and those that add resources. */
const portal = {
  region: 'slc',
  domain: {
    name: 'portal.example.net',
    hostedZoneId: 'Z0123456789ABC',
    hostedZoneName: 'example.net',
  },
  login: {
    issuer: 'https://login.example.com',
    clientId: 'portal',
    clientSecretArn: 'arn:aws:secretsmanager:us-west-2:111122223333:secret:portal-login-AbCdEf',
  },
  people: {
    role: { claim: 'groups', viewer: ['customer-viewers'], manager: ['customer-managers'] },
    trunkGroups: { claim: 'trunk_groups' },
  },
  reservedConcurrency: 10,
} as const satisfies DeploymentConfigInput['portal'];

/** The examples, and each of them with readers, and with the portal for customers. */
function writeConfigs(folder: string): readonly string[] {
  mkdirSync(folder);
  for (const path of globSync('config/*.json', { cwd: root })) {
    const file = join(root, path);
    const config = JSON.parse(readFileSync(file, 'utf8')) as DeploymentConfigInput;
    const tableReaders = {
      accounts: ['222233334444'],
      organizationId: 'o-a1b2c3d4e5',
      // Only tables of several regions are named.
      ...(config.domain !== undefined && { tables: config.name }),
    };
    cpSync(file, join(folder, basename(file)));
    const readers = join(folder, `readers-${basename(file)}`);
    writeFileSync(readers, JSON.stringify({ ...config, tableReaders }));
    const withPortal = join(folder, `portal-${basename(file)}`);
    writeFileSync(withPortal, JSON.stringify({ ...config, portal }));
  }
  return globSync(join(folder, '*.json')).toSorted();
}

async function check(bin: string, work: string): Promise<void> {
  for (const version of kubernetesVersions) {
    const command = [join(bin, 'kubernetes-validate'), '--strict', '--kubernetes-version'] as const;
    await run([...command, version, 'examples/forward-auth/kubernetes.yaml']);
  }
  buildLambdas(join(root, 'dist/lambda'));
  const lint = async (name: string) => {
    const templates = globSync(join(work, 'out', name, '*.template.json'));
    await run([join(bin, 'cfn-lint'), ...templates]);
    process.stdout.write(`cfn-lint: nothing to say about ${name}\n`);
  };
  const out = (name: string) => join(work, 'out', name);
  const node = (file: string) => [process.execPath, join(root, 'lab/suites', file)] as const;
  await run([...node('templates/synthesise-ecs-example.ts'), out('examples-ecs')]);
  await lint('examples-ecs');
  await run([...node('deploy/platform-api.ts')], {
    CDK_OUTDIR: out('platform-api'),
    CDK_CONTEXT_JSON: JSON.stringify(platformApi),
  });
  await lint('platform-api');
  for (const config of writeConfigs(join(work, 'config'))) {
    const name = basename(config, '.json');
    const cdk = [
      join(root, 'node_modules/.bin/cdk'),
      'synth',
      '--quiet',
      '--build',
      'true',
    ] as const;
    await run([...cdk, '--context', `config=${config}`, '--output', out(name)]);
    await lint(name);
  }
  process.stdout.write(await run([...node('templates/checkov/main.ts'), join(work, 'out')]));
}

const requirements = join(import.meta.dirname, 'requirements.txt');
const python = await makePythonEnvironment(['-r', requirements]);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: the templates are not linted, for want of ${python.missing}\n`);
} else {
  const work = mkdtempSync(join(tmpdir(), 'test-templates-'));
  try {
    await check(python.bin, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
