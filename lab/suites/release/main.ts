import assert from 'node:assert/strict';
import {
  cpSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { publishArchives } from '../../build/publish.ts';
import { checksumFile } from '../../build/release.ts';
import { readManifest } from '../../build/stage.ts';
import { type Command, runCommand, runOrThrow } from '../../support/run-command.ts';
import { useLocalRun } from '../../support/use-local-run.ts';
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts';

/** What a clone does not have, or gets by links. */
const left: ReadonlySet<string> = new Set(['.git', '.local', 'cdk.out', 'dist', 'node_modules']);

/** A folder with the same files, which are not copied. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== '.cache') linkFolder(source, target);
    } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** Where Git finds the remote of the repository, which package.json names. */
async function gitDirectory(root: string): Promise<Readonly<Record<string, string>>> {
  try {
    const path = await runOrThrow(['git', 'rev-parse', '--absolute-git-dir'], { cwd: root });
    return { GIT_DIR: path.trim() };
  } catch {
    return {};
  }
}

/**
 * Builds a copy of the sources in another folder, and makes the archives of its packages.
 *
 * @param folder a new folder, on the file system of node_modules.
 * @returns the checksums.
 */
async function buildAgain(root: string, folder: string): Promise<string> {
  mkdirSync(folder);
  for (const name of readdirSync(root).filter((each) => !left.has(each))) {
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !left.has(basename(path)),
    });
  }
  linkFolder(join(root, 'node_modules'), join(folder, 'node_modules'));
  const options = { cwd: folder, environment: await gitDirectory(root) };
  await runOrThrow([process.execPath, 'lab/build/main.ts'], options);
  const target = join(folder, 'archives');
  await runOrThrow([process.execPath, 'lab/build/release.ts', target], options);
  return readFileSync(join(target, checksumFile), 'utf8');
}

/*
 * What the release job does, with a registry on this machine: build, bill of materials, checksums,
 * pack and publish. Then what a user does, who has only the packages: from an empty folder to a
 * token with two commands, and a synthesis. It needs npm's usual registry for every other package.
 */

const constructs = '@authorization-server-aws/constructs';
const root = resolve(import.meta.dirname, '../../..');

/** @returns the folder of the archives. */
async function buildRelease(work: string): Promise<string> {
  const target = join(work, 'archives');
  await runOrThrow([process.execPath, 'lab/build/main.ts'], { cwd: root });
  await runOrThrow([process.execPath, 'lab/build/release.ts', target], { cwd: root });
  const { bomFormat } = JSON.parse(readFileSync(join(target, 'sbom.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
  };
  assert.equal(bomFormat, 'CycloneDX');
  return target;
}

async function compareBuilds(target: string): Promise<void> {
  // Node runs no TypeScript below node_modules, whose file system it needs.
  const folder = join(root, 'dist/second-build');
  rmSync(folder, { recursive: true, force: true });
  try {
    const first = readFileSync(join(target, checksumFile), 'utf8');
    assert.equal(first.trim().split('\n').length, readdirSync(join(root, 'packages')).length + 1);
    assert.equal(await buildAgain(root, folder), first);
    console.info(`two builds in two folders have the same bytes:\n${first.trimEnd()}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publish(target: string, { url, environment }: LocalRegistry): Promise<void> {
  const options = { onlyEnvironment: environment };
  // npm publishes a version between two releases, as a preview is, only with the name of a tag.
  const flags = ['--tag', 'latest'];
  const publishAll = async (end: string) => {
    const lines = await publishArchives(target, flags, options);
    for (const line of lines) assert.ok(line.endsWith(end), line);
  };
  await publishAll(': published');
  console.info(`published to ${url}`);
  await publishAll(': is published already');
  const other = join(target, 'other');
  mkdirSync(other);
  const [name = assert.fail()] = readdirSync(target).filter((each) => each.endsWith('.tgz'));
  // The same files with another time: other bytes of the same version.
  await runOrThrow(['tar', '-xzf', join(target, name), '-C', other]);
  await runOrThrow(['tar', '-czf', name, '--mtime=2001-01-01', 'package'], { cwd: other });
  await assert.rejects(publishArchives(other, flags, options), /: the registry has sha512-/);
  rmSync(other, { recursive: true });
  console.info('a second run skips what is published, and stops at a version with other bytes');
}

/** The documented way, from an empty folder. @returns the project. */
async function createProject(work: string, onlyEnvironment: NodeJS.ProcessEnv): Promise<string> {
  const cwd = join(work, 'empty');
  mkdirSync(cwd);
  const startedAt = performance.now();
  const create = ['create', '@authorization-server-aws', 'my-authorization', '--'] as const;
  const options = { cwd, onlyEnvironment };
  const made = await runCommand(['npm', ...create, '--region', 'eu-central-1'], options);
  assert.equal(made.code, 0, made.output);
  assert.match(made.output, /npm start {8}runs the service/);
  const project = join(cwd, 'my-authorization');
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  console.info(`npm create made and installed a project in ${seconds()} s`);
  // As a person does it; `npm start` has no cache of compiled code.
  await useLocalRun(['npm', 'start'], project, onlyEnvironment);
  console.info(
    `npm start gave the first token ${seconds()} s after the first command, from an empty folder`,
  );
  return project;
}

async function synthesise(project: string, onlyEnvironment: NodeJS.ProcessEnv): Promise<void> {
  const command: Command = ['npx', '--no', '--', 'cdk', 'synth', '--quiet'];
  await runOrThrow(command, { cwd: project, onlyEnvironment });
  const template = join(project, 'cdk.out/AuthorizationServer-slc.template.json');
  const { Outputs } = JSON.parse(readFileSync(template, 'utf8')) as { readonly Outputs: object };
  const missing = ['TokenUrl', 'NextCommand'].filter((name) => !(name in Outputs));
  assert.deepEqual(missing, []);
  console.info(
    'npx cdk synth makes the stack, whose outputs are the token URL and the next command',
  );
}

/** The templates of a project's synthesis. */
function readTemplates(project: string): readonly string[] {
  const cwd = join(project, 'cdk.out');
  return globSync('*.template.json', { cwd }).map((name) => readFileSync(join(cwd, name), 'utf8'));
}

/** The oldest aws-cdk-lib that the constructs promise makes the same templates as the newest. */
async function tryOldestCdk(project: string, onlyEnvironment: NodeJS.ProcessEnv): Promise<void> {
  const name = 'aws-cdk-lib';
  const { peerDependencies } = readManifest(join(project, 'node_modules', constructs));
  const oldest = peerDependencies?.[name]?.replace('^', '') ?? assert.fail();
  const cwd = `${project}-${oldest}`;
  mkdirSync(cwd);
  for (const file of ['app.js', 'cdk.json', 'authorization-server.json']) {
    cpSync(join(project, file), join(cwd, file));
  }
  const { dependencies, ...manifest } = readManifest(project);
  const older = { ...manifest, dependencies: { ...dependencies, [name]: oldest } };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(older));
  await runOrThrow(['npm', 'install', '--no-audit', '--strict-allow-scripts'], {
    cwd,
    onlyEnvironment,
  });
  await synthesise(cwd, onlyEnvironment);
  assert.deepEqual(readTemplates(cwd), readTemplates(project));
  assert.equal(readTemplates(cwd).length, 1);
  console.info(`${name} ${oldest} makes the same templates`);
}

using folder = mkdtempDisposableSync(join(tmpdir(), 'release-'));
const work = folder.path;
const target = await buildRelease(work);
await compareBuilds(target);
const registry = await startLocalRegistry(work);
if ('missing' in registry) {
  console.info(`SKIPPED: publication and installation need ${registry.missing}`);
} else {
  try {
    await publish(target, registry);
    const project = await createProject(work, registry.environment);
    await synthesise(project, registry.environment);
    await tryOldestCdk(project, registry.environment);
  } finally {
    await registry.stop();
  }
}
