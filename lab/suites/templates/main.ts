import { globSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { buildLambdas } from '../../build/main.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { makePythonEnvironment } from '../../support/runtimes.ts';

/*
 * Runs cfn-lint and checkov on every template of every example in config/, also with readers in
 * other accounts and with the portal for customers, of the ECS example and of a platform team's API,
 * and compares the Kubernetes example with the schemas of Kubernetes. It needs Python's pip; if that
 * is missing it says so and ends with 0, since CDK's own checks have run in the template tests.
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
const portal = { ...portalConfig, reservedConcurrency: 10 };

/** The examples, and each of them with readers, and with the portal for customers. */
function writeConfigs(folder: string): readonly string[] {
  mkdirSync(folder);
  for (const path of globSync('config/*.json', { cwd: root })) {
    const config = JSON.parse(readFileSync(join(root, path), 'utf8')) as DeploymentConfigInput;
    const tableReaders = {
      accounts: ['222233334444'],
      organizationId: 'o-a1b2c3d4e5',
      // Only tables of several regions are named.
      ...(config.domain !== undefined && { tables: config.name }),
    };
    const write = (prefix: string, more: object) =>
      writeFileSync(join(folder, prefix + basename(path)), JSON.stringify({ ...config, ...more }));
    write('', {});
    write('readers-', { tableReaders });
    write('portal-', { portal });
  }
  return globSync(join(folder, '*.json')).toSorted();
}

async function check(bin: string, work: string): Promise<void> {
  for (const version of kubernetesVersions) {
    const command = [join(bin, 'kubernetes-validate'), '--strict', '--kubernetes-version'] as const;
    await run([...command, version, 'examples/forward-auth/kubernetes.yaml']);
  }
  buildLambdas(join(root, 'dist/lambda'));
  const out = (name: string) => join(work, 'out', name);
  const lint = async (name: string) => {
    await run([join(bin, 'cfn-lint'), ...globSync(join(out(name), '*.template.json'))]);
    process.stdout.write(`cfn-lint: nothing to say about ${name}\n`);
  };
  const node = (file: string) => [process.execPath, join(root, 'lab/suites', file)] as const;
  await run([...node('templates/synthesise-ecs-example.ts'), out('examples-ecs')]);
  await lint('examples-ecs');
  await run(node('deploy/platform-api.ts'), {
    CDK_OUTDIR: out('platform-api'),
    CDK_CONTEXT_JSON: JSON.stringify(platformApi),
  });
  await lint('platform-api');
  for (const config of writeConfigs(join(work, 'config'))) {
    const name = basename(config, '.json');
    const options = ['--build', 'true', '--context', `config=${config}`, '--output', out(name)];
    await run([join(root, 'node_modules/.bin/cdk'), 'synth', '--quiet', ...options]);
    await lint(name);
  }
  process.stdout.write(await run([...node('templates/checkov/main.ts'), join(work, 'out')]));
}

const requirements = join(import.meta.dirname, 'requirements.txt');
const python = await makePythonEnvironment(['-r', requirements]);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: the templates are not linted, for want of ${python.missing}\n`);
} else {
  using work = mkdtempDisposableSync(join(tmpdir(), 'test-templates-'));
  await check(python.bin, work.path);
}
