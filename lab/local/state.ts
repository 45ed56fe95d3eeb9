import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';

export type StatePaths = Readonly<ReturnType<typeof statePaths>>;

/** Paths of the state that must survive a restart. */
export function statePaths(directory: string) {
  return {
    directory,
    dynamodb: join(directory, 'dynamodb'),
    kms: join(directory, 'kms'),
    tls: join(directory, 'tls'),
    demoClient: join(directory, 'demo-client.json'),
    demoApiKey: join(directory, 'demo-api-key'),
    demoEnvironment: join(directory, 'demo.env'),
    deploymentConfig: join(directory, 'deployment.json'),
    log: join(directory, 'log.jsonl'),
  };
}

/** The config that runs with a state, as the run has written it down. */
export function readRunConfig({ deploymentConfig }: Pick<StatePaths, 'deploymentConfig'>) {
  const input: unknown = JSON.parse(readFileSync(deploymentConfig, 'utf8'));
  return parseDeploymentConfig(input, { allowLoopbackIssuer: true });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never ends on a file system such
 * as /proc, which denies the existence of a folder that it has just shown.
 */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

/** @throws {LocalRunError} if the folder cannot be written to. */
export function makeStateDirectory({ directory }: StatePaths): void {
  try {
    makeFolder(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new LocalRunError(
      `the folder ${directory} cannot be used for the state (${code}); --state <dir> chooses another`,
      { cause },
    );
  }
}

/** Deletes only what the local run created, because the folder may contain other files. */
export function resetState(paths: StatePaths): void {
  const { directory: _, ...made } = paths;
  for (const path of Object.values(made)) rmSync(path, { recursive: true, force: true });
}

/** Name of the lock's folder, the only part of a state directory that a reset leaves alone. */
const lockName = 'lock';

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED';
}

/**
 * Takes the exclusive use of a state directory. The lock is an empty LevelDB: the operating system
 * frees it when the process ends, also when it crashes. A file with a process id would stay.
 *
 * @throws {LocalRunError} if another local run holds it.
 */
export async function lockState(stateDirectory: string): Promise<{ close(): Promise<void> }> {
  const lock = new ClassicLevel(join(stateDirectory, lockName));
  try {
    await lock.open();
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new LocalRunError(
      `another local run is using ${stateDirectory}; stop it, or choose another folder with --state`,
      { cause: error },
    );
  }
  return { close: () => lock.close() };
}
