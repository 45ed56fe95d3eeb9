import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, type CommandResult, missingTool, runCommand } from './run-command.ts';

/*
 * Finds the runtimes of other languages, and installs and builds programs with them. What is built
 * is kept for the next run.
 */

const cache = resolve(import.meta.dirname, '../../node_modules/.cache');

/** Go and Cargo need a home folder for their caches. */
const environment = { HOME: process.env['HOME'] || join(cache, 'home') };

/** What this machine lacks. */
export interface Missing {
  readonly missing: string;
}

/** What programs need to trust a service with TLS. */
export interface Trust {
  /** File of the certificate. */
  readonly caPath: string;
  /** Folder for files of this run. */
  readonly directory: string;
}

/** Makes the program `name` of a folder ready to start. */
export type Runtime = (
  name: string,
  trust: Trust,
) => Promise<{ readonly command: Command } | Missing>;

/** What every library but Java's reads. Each replaces the list that the library would trust. */
export function trustVariables(caPath: string): Readonly<Record<string, string>> {
  return {
    NODE_EXTRA_CA_CERTS: caPath,
    CURL_CA_BUNDLE: caPath,
    SSL_CERT_FILE: caPath,
    REQUESTS_CA_BUNDLE: caPath,
  };
}

/** A folder that is kept between runs. */
export function cacheFolder(...names: readonly string[]): string {
  const path = join(cache, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

function run(command: Command, cwd: string): Promise<CommandResult> {
  return runCommand(command, { cwd, environment });
}

/** A runtime that is made once in a run, and whose programs a command then starts. */
function runtimeOf<Made extends object>(
  make: () => Promise<Made | Missing>,
  commandOf: (name: string, made: Made, trust: Trust) => Command | Promise<Command>,
): Runtime {
  let making: Promise<Made | Missing> | undefined;
  return async (name, trust) => {
    making ??= make();
    const made = await making;
    return 'missing' in made ? made : { command: await commandOf(name, made, trust) };
  };
}

/**
 * A Python virtual environment with these packages.
 *
 * @param requirements arguments of pip.
 * @returns its `bin` folder.
 */
export async function makePythonEnvironment(
  requirements: readonly string[],
): Promise<{ readonly bin: string } | Missing> {
  // A list of requirements counts by its content, so that a new version is a new environment.
  const wanted = requirements.map((each) => (existsSync(each) ? readFileSync(each, 'utf8') : each));
  const name = createHash('sha256').update(wanted.join('\n')).digest('hex').slice(0, 16);
  const path = join(cacheFolder('python'), name);
  const bin = join(path, 'bin');
  const ready = join(path, 'ready');
  if (existsSync(ready)) return { bin };
  rmSync(path, { recursive: true, force: true });
  const made = await runCommand(['python3', '-m', 'venv', path]);
  if (made.code !== 0) return { missing: 'python3 with venv' };
  const installed = await runCommand([join(bin, 'pip'), 'install', '--quiet', ...requirements]);
  if (installed.code !== 0) return { missing: `${requirements.join(', ')} from PyPI` };
  // A folder that an interrupted installation left has no such entry.
  mkdirSync(join(path, 'making'));
  renameSync(join(path, 'making'), ready);
  return { bin };
}

/** @param folder with `requirements.txt` and a file for each program. */
export function pythonRuntime(folder: string): Runtime {
  return runtimeOf(
    () => makePythonEnvironment(['-r', join(folder, 'requirements.txt')]),
    (name, { bin }) => [join(bin, 'python'), join(folder, `${name}.py`)],
  );
}

/** @param folder with a package and a file for each program. It is copied, and installed there. */
export function nodeRuntime(folder: string, cacheName: string): Runtime {
  const copy = cacheFolder(cacheName, 'node');
  const list = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const ready = join(copy, 'installed');
  const install = async () => {
    cpSync(folder, copy, { recursive: true });
    if (existsSync(ready) && readFileSync(ready, 'utf8') === list) return {};
    const installed = await run(['npm', 'ci', '--no-audit', '--ignore-scripts'], copy);
    if (installed.code !== 0) return { missing: missingTool('npm', installed) };
    writeFileSync(ready, list);
    return {};
  };
  return runtimeOf(install, (name) => [process.execPath, join(copy, `${name}.js`)]);
}

/** A runtime whose programs are binaries in one folder after a build. */
function binaryRuntime(tool: string, target: string, build: Command, cwd: string): Runtime {
  const make = async () => {
    const built = await run(build, cwd);
    return built.code === 0 ? {} : { missing: missingTool(tool, built) };
  };
  return runtimeOf(make, (name) => [join(target, name)]);
}

/** @param folder with a module that has a folder for each program. */
export function goRuntime(folder: string, cacheName: string): Runtime {
  const target = cacheFolder(cacheName, 'go');
  return binaryRuntime('Go', target, ['go', 'build', '-o', `${target}/`, './...'], folder);
}

/** @param folder with a package that has a binary for each program. */
export function rustRuntime(folder: string, cacheName: string): Runtime {
  const target = cacheFolder(cacheName, 'rust');
  const build = ['cargo', 'build', '--quiet', '--locked', '--target-dir', target] as const;
  return binaryRuntime('Cargo', join(target, 'debug'), build, folder);
}

/**
 * Runs Maven on the project of a folder, to which nothing is written.
 *
 * @returns what is missing, or undefined after a build.
 */
export async function runMaven(
  project: string,
  target: string,
  ...goals: readonly string[]
): Promise<string | undefined> {
  const flags = ['--quiet', '--batch-mode', `-DbuildDirectory=${target}`];
  const built = await run(['mvn', ...flags, ...goals], project);
  return built.code === 0 ? undefined : missingTool('Maven', built);
}

/** Java reads no file of certificates: it requires a trust store of its own kind. */
async function javaTrust({ caPath, directory }: Trust): Promise<readonly string[]> {
  const store = join(directory, 'trust.p12');
  const password = 'changeit';
  if (!existsSync(store)) {
    const flags = ['-importcert', '-noprompt', '-alias', 'local', '-storepass', password];
    await runCommand(['keytool', ...flags, '-file', caPath, '-keystore', store]);
  }
  const property = '-Djavax.net.ssl.trustStore';
  return [`${property}=${store}`, `${property}Password=${password}`];
}

/** Starts sooner: C1 is enough for the few requests of a test. */
const javaFlags = async (trust: Trust) => ['-XX:TieredStopAtLevel=1', ...(await javaTrust(trust))];

/** @param jar what `mvn package` makes of the folder. */
export function jarRuntime(folder: string, cacheName: string, jar: string): Runtime {
  const target = cacheFolder(cacheName);
  const build = async () => {
    const missing = await runMaven(folder, target, 'package');
    return missing === undefined ? {} : { missing };
  };
  return runtimeOf(build, async (_name, _, trust) => {
    return ['java', ...(await javaFlags(trust)), '-jar', join(target, jar)];
  });
}

/** @param folder with a pom.xml, and a class with a `main` for each program. */
export function javaRuntime(folder: string, cacheName: string): Runtime {
  const target = cacheFolder(cacheName, 'java');
  const jars = join(target, 'jars');
  const build = async () => {
    // Maven adds to the folder, and Java would load other versions of before.
    rmSync(jars, { recursive: true, force: true });
    const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    const missing = await runMaven(folder, target, 'compile', ...copy);
    return missing === undefined ? {} : { missing };
  };
  return runtimeOf(build, async (name, _, trust) => {
    const classPath = [join(target, 'classes'), join(jars, '*')].join(':');
    return ['java', ...(await javaFlags(trust)), '-cp', classPath, name];
  });
}
