import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hangLimit } from '../../support/hang-limit.ts';
import { compileJava, makeTrustStore } from '../../support/java.ts';
import { missingTool } from '../../support/missing-tool.ts';
import { makePythonEnvironment } from '../../support/python-environment.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import type { Trust } from './issuer.ts';
import { programs } from './pins.ts';

/** What is built and installed is kept here between runs. */
const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/interop');

/** Go and Cargo need a home folder for their caches. */
export const toolEnvironment = { HOME: process.env['HOME'] || join(cache, 'home') };

export type Command = readonly [string, ...string[]];

/** The program of a language, or what this machine lacks. */
export type Built = { readonly command: Command } | { readonly missing: string };

/** Makes the program `name` of a language ready to start. */
export type Runtime = (name: string, trust: Trust) => Promise<Built>;

export function workFolder(name: string): string {
  const path = join(cache, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function run(command: Command, cwd: string): Promise<CommandResult> {
  return runCommand(command, { cwd, environment: toolEnvironment, timeout: hangLimit });
}

type Installed = { readonly folder: string } | { readonly missing: string };

/** Each language is built once in a run. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const installNode = once(async (): Promise<Installed> => {
  const folder = workFolder('node');
  cpSync(join(programs, 'node'), folder, { recursive: true });
  const installed = await run(['npm', 'ci', '--no-audit', '--ignore-scripts'], folder);
  return installed.code === 0 ? { folder } : { missing: missingTool('npm', installed) };
});

export const node: Runtime = async (name) => {
  const installed = await installNode();
  if ('missing' in installed) return installed;
  return { command: [process.execPath, join(installed.folder, `${name}.js`)] };
};

const installPython = once(() =>
  makePythonEnvironment(['-r', join(programs, 'python/requirements.txt')]),
);

export const python: Runtime = async (name) => {
  const installed = await installPython();
  if ('missing' in installed) return installed;
  return { command: [join(installed.bin, 'python'), join(programs, `python/${name}.py`)] };
};

const buildGo = once(async (): Promise<Installed> => {
  const folder = workFolder('go');
  const built = await run(['go', 'build', '-o', `${folder}/`, './...'], join(programs, 'go'));
  return built.code === 0 ? { folder } : { missing: missingTool('Go', built) };
});

export const go: Runtime = async (name) => {
  const built = await buildGo();
  return 'missing' in built ? built : { command: [join(built.folder, name)] };
};

const buildJava = once(() =>
  compileJava({
    project: join(programs, 'java'),
    target: workFolder('java'),
    environment: toolEnvironment,
  }),
);

/** Java's flags that make it trust the issuer of this run. */
export const javaTrust = ({ caPath, directory }: Trust): Promise<readonly string[]> =>
  makeTrustStore(caPath, join(directory, 'trust.p12'));

export const java: Runtime = async (name, trust) => {
  const built = await buildJava();
  if ('missing' in built) return built;
  const flags = ['-XX:TieredStopAtLevel=1', ...(await javaTrust(trust)), '-cp', built.classPath];
  return { command: ['java', ...flags, name] };
};

const buildRust = once(async (): Promise<Installed> => {
  const folder = workFolder('rust');
  const flags = ['--quiet', '--locked', '--target-dir', folder];
  const built = await run(['cargo', 'build', ...flags], join(programs, 'rust'));
  return built.code === 0 ? { folder } : { missing: missingTool('Cargo', built) };
});

export const rust: Runtime = async (name) => {
  const built = await buildRust();
  return 'missing' in built ? built : { command: [join(built.folder, 'debug', name)] };
};
