import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
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

/** Each folder is built once in a run. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
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
  const install = once(() => makePythonEnvironment(['-r', join(folder, 'requirements.txt')]));
  return async (name) => {
    const installed = await install();
    if ('missing' in installed) return installed;
    return { command: [join(installed.bin, 'python'), join(folder, `${name}.py`)] };
  };
}

/** @param folder with a package and a file for each program. It is copied, and installed there. */
export function nodeRuntime(folder: string, cacheName: string): Runtime {
  const install = once(async (): Promise<{ readonly copy: string } | Missing> => {
    const copy = cacheFolder(cacheName, 'node');
    cpSync(folder, copy, { recursive: true });
    const installed = await run(['npm', 'ci', '--no-audit', '--ignore-scripts'], copy);
    return installed.code === 0 ? { copy } : { missing: missingTool('npm', installed) };
  });
  return async (name) => {
    const installed = await install();
    if ('missing' in installed) return installed;
    return { command: [process.execPath, join(installed.copy, `${name}.js`)] };
  };
}

/** A runtime whose programs are binaries in one folder after a build. */
function binaryRuntime(tool: string, target: string, build: Command, cwd: string): Runtime {
  const make = once(() => run(build, cwd));
  return async (name) => {
    const built = await make();
    if (built.code !== 0) return { missing: missingTool(tool, built) };
    return { command: [join(target, name)] };
  };
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
export async function javaTrust({ caPath, directory }: Trust): Promise<readonly string[]> {
  const store = join(directory, 'trust.p12');
  const password = 'changeit';
  if (!existsSync(store)) {
    const flags = ['-importcert', '-noprompt', '-alias', 'local', '-storepass', password];
    await runCommand(['keytool', ...flags, '-file', caPath, '-keystore', store]);
  }
  const property = '-Djavax.net.ssl.trustStore';
  return [`${property}=${store}`, `${property}Password=${password}`];
}

/** @param folder with a pom.xml, and a class with a `main` for each program. */
export function javaRuntime(folder: string, cacheName: string): Runtime {
  const target = cacheFolder(cacheName, 'java');
  const jars = join(target, 'jars');
  const build = once(() => {
    // Maven adds to the folder, and Java would load other versions of before.
    rmSync(jars, { recursive: true, force: true });
    const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    return runMaven(folder, target, 'compile', ...copy);
  });
  return async (name, trust) => {
    const missing = await build();
    if (missing !== undefined) return { missing };
    const classPath = [join(target, 'classes'), join(jars, '*')].join(':');
    const flags = ['-XX:TieredStopAtLevel=1', ...(await javaTrust(trust))];
    return { command: ['java', ...flags, '-cp', classPath, name] };
  };
}
