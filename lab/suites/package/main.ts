import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { installNode } from '../../support/install-node.ts';
import { type Command, type CommandOptions, runCommand } from '../../support/run-command.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { type Authctl, runEveryGroup, usePortal } from './run-commands.ts';
import {
  compileVerifierConsumer,
  describeInstallation,
  installVerifier,
  useCommand,
} from './verifier-package.ts';

/*
 * Packs the package as npm would publish it, puts it into an empty project next to what its
 * package.json declares and nothing else, and uses every entry there, on the oldest Node that
 * package.json promises and on the newest. Only these two versions of Node need a network: what is
 * declared comes from this project's node_modules, and what is not declared is not found.
 */

const root = resolve(import.meta.dirname, '../../..');

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Node's newest release when this was last looked at; the oldest is in package.json's engines. */
const newestNode = '26.10.0';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageJson;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run(command: Command, options: CommandOptions): Promise<string> {
  const { code, output } = await runCommand(command, options);
  assert.equal(code, 0, `${command.join(' ')}:\n${output}`);
  return output;
}

/** Packs, which builds, and unpacks into the project's node_modules. */
async function installPackage(project: string): Promise<string> {
  await run(['npm', 'pack', '--silent', '--pack-destination', project], { cwd: root });
  const tarball = join(project, `${manifest.name}-${manifest.version}.tgz`);
  const target = join(project, 'node_modules', manifest.name);
  mkdirSync(target, { recursive: true });
  await run(['tar', '-xzf', tarball, '-C', target, '--strip-components=1'], { cwd: project });
  return target;
}

/** What any TypeScript project for Node has. */
const buildTools = ['@types/node', 'typescript'];

function linkPackages(project: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name);
    // The verifier's package is installed as it would be published.
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join(root, 'node_modules', name)), link);
  }
}

function linkDeclared(project: string): void {
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  linkPackages(project, [...Object.keys(declared), ...buildTools]);
}

/** Every file that an entry names is in the package. */
function checkEntries(installed: string): void {
  const targets = JSON.stringify(manifest.exports).match(/\.\/[\w./-]+(?=")/g) ?? [];
  for (const target of targets.filter((name) => name.includes('.', 2))) {
    assert.ok(existsSync(join(installed, target)), `the package lacks ${target}`);
  }
  const unused = Object.keys(manifest.exports)
    .map((entry) => entry.replace('./', `${manifest.name}/`))
    .filter((entry) => !entry.endsWith('package.json'))
    .filter(
      (entry) => !readFileSync(consumer('use-every-entry.ts'), 'utf8').includes(`'${entry}'`),
    );
  assert.deepEqual(unused, [], 'entries that lab/suites/package/consumer does not use');
}

function consumer(name: string): string {
  return join(root, 'lab/suites/package/consumer', name);
}

/** Compiles a program that uses every entry: the oldest Node runs no TypeScript. */
async function compileConsumer(project: string): Promise<void> {
  for (const name of ['use-every-entry.ts', 'tsconfig.json']) {
    cpSync(consumer(name), join(project, name));
  }
  await run([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: project });
  say('every entry type-checks');
}

/** Uses every entry and a command of every group. @param node path of the binary that runs them. */
async function usePackage(node: string, project: string, installed: string): Promise<void> {
  const path = join(installed, 'dist/cli/authctl.js');
  await withLocalService({}, async ({ environment, clientId }) => {
    const options = { cwd: project, environment: { ...environment, CDK_VALIDATION: 'false' } };
    const output = await run([node, 'use-every-entry.js'], options);
    assert.match(output, /^every entry works$/m);
    const authctl: Authctl = (...args) => run([node, path, ...args], options);
    assert.equal((await authctl('--version')).trim(), manifest.version);
    await runEveryGroup(authctl, clientId);
    await usePortal([node, path], environment);
  });
}

/** Calls `use` with the oldest Node that package.json promises, and with the newest. */
async function onEveryNode(what: string, use: (node: string) => Promise<void>): Promise<void> {
  const oldest = manifest.engines.node.replace('>=', '');
  for (const version of [oldest, newestNode]) {
    const node = await installNode(version);
    if ('missing' in node) {
      say(`SKIPPED: Node ${version} does not run ${what}: ${node.missing}`);
    } else {
      await use(node.path);
      say(`${what} work on Node ${version}`);
    }
  }
}

/** The verifier's package, with nothing else in the project. */
async function testVerifierPackage(project: string): Promise<void> {
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}\n');
  const installed = await installVerifier(project, run);
  say(describeInstallation(installed));
  linkPackages(project, buildTools);
  await compileVerifierConsumer(project, run);
  await onEveryNode('the verifier, its middleware and forward-auth', (node) =>
    withLocalService({}, async ({ environment }) => {
      const options = { cwd: project, environment };
      assert.match(await run([node, 'use-verifier.js'], options), /^the verifier works$/m);
      await useCommand(node, installed, environment);
    }),
  );
}

async function testMainPackage(project: string): Promise<void> {
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}\n');
  const installed = await installPackage(project);
  await installVerifier(project, run);
  linkDeclared(project);
  checkEntries(installed);
  await compileConsumer(project);
  await onEveryNode('every entry and a command of every group', (node) =>
    usePackage(node, project, installed),
  );
  await checkPublication();
}

async function checkPublication(): Promise<void> {
  const command = [
    'npm',
    'publish',
    '--dry-run',
    '--ignore-scripts',
    '--access',
    'public',
  ] as const;
  const output = await run(command, { cwd: root });
  // npm says so if it had to correct the manifest.
  assert.doesNotMatch(output, /auto-corrected|errors corrected/, output);
  assert.doesNotMatch(output, /\bB (?:test|local|lambda|bench)\//, 'sources in the package');
  say('npm would publish it as it is');
}

const tests = { main: testMainPackage, verifier: testVerifierPackage };
/** `npm run test:all -- package verifier` tests only that package. */
const wanted = process.argv[2];
for (const [name, test] of Object.entries(tests)) {
  if (wanted !== undefined && wanted !== name) continue;
  const project = mkdtempSync(join(tmpdir(), 'package-consumer-'));
  try {
    await test(project);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
