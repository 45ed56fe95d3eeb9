import assert from 'node:assert/strict';
import {
  cpSync,
  globSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type StagedPackage, stagePackages } from '../../build/stage.ts';
import { installNode } from '../../support/install-node.ts';
import { linkPackages } from '../../support/link-packages.ts';
import { runCommand, runOrThrow } from '../../support/run-command.ts';
import { useLocalRun } from '../../support/use-local-run.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { checkCompanyApp } from './company-app.ts';
import { checkJestProject } from './jest-project.ts';
import { checkConfirmation, checkCreateQuestions } from './questions.ts';
import { type Authctl, runEveryGroup, useForwardAuth, usePortal } from './run-commands.ts';

/*
 * Packs each package as npm would publish it, puts it into an empty project next to what its
 * package.json declares and nothing else, and uses every entry there, on the oldest Node that
 * package.json promises and on the newest. Only these two versions of Node need a network: what is
 * declared comes from this project's node_modules, and what is not declared is not found.
 */

const root = resolve(import.meta.dirname, '../../..');

/** Node's newest release when this was last looked at; the oldest is in package.json's engines. */
const newestNode = '26.10.0';

/** What any TypeScript project for Node has. */
const buildTools = ['@types/node', 'typescript'];

/** Links what package.json declares, as npm would install it. */
function linkDeclared(project: string, { manifest }: StagedPackage): void {
  const { dependencies, peerDependencies } = manifest;
  // The optional peer of the verifier is not installed.
  const peers = manifest.name.endsWith('/verifier') ? {} : peerDependencies;
  linkPackages(project, [...Object.keys({ ...dependencies, ...peers }), ...buildTools]);
}

/** The consumer uses every entry. */
function checkEntries({ manifest }: StagedPackage, consumer: string): void {
  const text = readFileSync(consumer, 'utf8');
  const unused = Object.keys(manifest.exports)
    .filter((entry) => !/package\.json$|forward-auth$/.test(entry))
    .map((entry) => `'${manifest.name}${entry.slice(1)}'`)
    .filter((entry) => !text.includes(entry));
  assert.deepEqual(unused, [], `entries that ${basename(consumer)} does not use`);
}

/** Compiles a program that uses every entry: the oldest Node runs no TypeScript. */
async function compileConsumer(project: string, installed: StagedPackage, short: string) {
  const folder = join(root, 'lab/suites/package/consumer');
  checkEntries(installed, join(folder, `use-${short}.ts`));
  for (const file of [`use-${short}.ts`, 'tsconfig.json']) {
    cpSync(join(folder, file), join(project, file));
  }
  if (short === 'constructs') {
    cpSync(join(root, 'examples/cdk-app'), project, { recursive: true });
  }
  await runOrThrow([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: project });
  console.info('every entry type-checks');
}

/** A TypeScript project whose output is CommonJS gets the types of every entry by `import()`. */
async function compileCommonJs(project: string, { manifest }: StagedPackage): Promise<void> {
  const entries = Object.entries(manifest.exports).filter(
    ([, target]) => typeof target === 'object',
  );
  const lines = entries.map(
    ([entry]) => `void import('${manifest.name}${entry.slice(1)}').then((all) => all.never);`,
  );
  writeFileSync(join(project, 'load.cts'), lines.join('\n'));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const options = '--module node16 --strict --noEmit --types node --ignoreConfig'.split(' ');
  const { output } = await runCommand([tsc, ...options, 'load.cts'], { cwd: project });
  // Each entry has types if the only thing that is wrong is the member that it does not have.
  const wrong = output.match(/error TS\d+/g) ?? [];
  assert.deepEqual(
    wrong,
    entries.map(() => 'error TS2339'),
    output,
  );
  rmSync(join(project, 'load.cts'));
  console.info('every entry has types in CommonJS with node16');
}

/** Calls `use` with the oldest Node that package.json promises, and with the newest. */
async function onEveryNode(
  { manifest }: StagedPackage,
  use: (node: string) => Promise<void>,
): Promise<void> {
  const oldest = manifest.engines.node.replace('>=', '');
  for (const version of [oldest, newestNode]) {
    const node = await installNode(version);
    if ('missing' in node) {
      console.info(`SKIPPED: Node ${version} does not run ${manifest.name}: ${node.missing}`);
    } else {
      await use(node.path);
      console.info(`${manifest.name} works on Node ${version}`);
    }
  }
}

/** A Node that is older than any that a package supports. */
const oldNode = '20.20.0';

/** Every command says in one sentence that the Node is too old. */
async function checkOldNode({ manifest, folder }: StagedPackage): Promise<void> {
  const [name] = Object.values(manifest.bin ?? {});
  if (name === undefined) return;
  const node = await installNode(oldNode);
  if ('missing' in node) {
    console.info(`SKIPPED: Node ${oldNode}: ${node.missing}`);
    return;
  }
  const { code, output } = await runCommand([node.path, join(folder, name), '--help']);
  const oldest = manifest.engines.node.replace('>=', '');
  assert.match(output, /^[\w -]+: Node 20\.20\.0 is too old; install Node [\d.]+ or newer\n$/);
  assert.ok(output.includes(oldest) && code === 1);
  for (const entry of globSync('dist/{verifier,library,management}.js', { cwd: folder })) {
    const library = await runCommand([node.path, join(folder, entry)]);
    assert.match(library.output, /: Node 20\.20\.0 is too old; install Node [\d.]+ or newer\n/);
  }
  console.info(`Node ${oldNode} is refused in one sentence`);
}

type Use = (node: string, project: string, installed: StagedPackage) => Promise<void>;

const uses: Readonly<Record<string, Use>> = {
  constructs: async (node, project) => {
    const options = { cwd: project, environment: { CDK_VALIDATION: 'false' } };
    assert.match(await runOrThrow([node, 'use-constructs.js'], options), /^the constructs work$/m);
    await checkCompanyApp(node, project, options);
    console.info(await checkJestProject(node, project));
  },
  authctl: (node, project, { manifest, folder }) =>
    withLocalService({}, async ({ environment, clientId }) => {
      const options = { cwd: project, environment };
      const output = await runOrThrow([node, 'use-authctl.js'], options);
      assert.match(output, /^the libraries of authctl work$/m);
      const path = join(folder, manifest.bin?.['authctl'] ?? '');
      const authctl: Authctl = (...args) => runOrThrow([node, path, ...args], options);
      assert.equal((await authctl('--version')).trim(), manifest.version);
      await runEveryGroup(authctl, clientId);
      console.info(
        await checkConfirmation([node, path, 'client', 'delete', clientId], environment),
      );
      await usePortal([node, path], environment);
    }),
  verifier: (node, project, { folder }) =>
    withLocalService({}, async ({ environment }) => {
      const options = { cwd: project, environment };
      assert.match(await runOrThrow([node, 'use-verifier.js'], options), /^the verifier works$/m);
      await useForwardAuth([node, join(folder, 'bin/forward-auth.js')], environment);
    }),
  local: async (node, project, { manifest, folder }) => {
    const path = join(folder, manifest.bin?.['authorization-server-local'] ?? '');
    await useLocalRun([node, path], project);
    assert.match(
      await runOrThrow([node, 'use-local.js'], { cwd: project }),
      /^the local service works$/m,
    );
  },
  // It installs what it makes, so the suite `release` runs it with a registry.
  create: async (node, project, { manifest, folder }) => {
    const path = join(folder, manifest.bin?.['create'] ?? '');
    const { code, output } = await runCommand([node, path, '.'], { cwd: project });
    assert.match(output, /^create: \S+ is not empty \(node_modules, package\.json\)/);
    assert.equal(code, 1);
    console.info(await checkCreateQuestions([node, path]));
  },
};

async function checkPublication({ folder }: StagedPackage): Promise<void> {
  // npm publishes a version between two releases, as a preview is, only with the name of a tag.
  const flags = ['--dry-run', '--access', 'public', '--tag', 'latest'];
  const output = await runOrThrow(['npm', 'publish', ...flags], { cwd: folder });
  // npm says so if it had to correct the manifest.
  assert.doesNotMatch(output, /auto-corrected|errors corrected/, output);
  console.info('npm would publish it as it is');
}

async function testPackage(short: string, staged: StagedPackage): Promise<void> {
  using consumer = mkdtempDisposableSync(join(tmpdir(), 'package-consumer-'));
  const project = consumer.path;
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}\n');
  const folder = join(project, 'node_modules', staged.manifest.name);
  cpSync(staged.folder, folder, { recursive: true });
  const installed = { ...staged, folder };
  linkDeclared(project, installed);
  if (Object.keys(installed.manifest.exports).length > 1) {
    await compileConsumer(project, installed, short);
    await compileCommonJs(project, installed);
  }
  await checkOldNode(installed);
  await onEveryNode(installed, (node) => uses[short]?.(node, project, installed) ?? assert.fail());
  await checkPublication(staged);
}

/** `npm run test:all -- package verifier` tests only that package. */
const wanted = process.argv[2];
await runOrThrow([process.execPath, 'lab/build/main.ts'], { cwd: root });
using target = mkdtempDisposableSync(join(tmpdir(), 'packages-'));
const packages = new Map(
  (await stagePackages(target.path)).map((staged) => [basename(staged.manifest.name), staged]),
);
if (wanted !== undefined && !packages.has(wanted)) {
  throw new Error(`received the package ${wanted}; allowed: ${[...packages.keys()].join(', ')}`);
}
for (const [short, staged] of packages) {
  if (wanted === undefined || wanted === short) await testPackage(short, staged);
}
