import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { LocalRunError } from '../emulator/loopback-server.ts';

/**
 * The exclusive use of a state directory. It ends with the process, also when the process crashes.
 */
interface StateLock {
  close(): Promise<void>;
}

/** Name of the lock's folder, the only part of a state directory that a reset leaves alone. */
const lockName = 'lock';

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED';
}

/**
 * Takes the lock of a state directory. The lock is an empty LevelDB: the operating system frees it
 * when the process ends. A file with a process id would stay.
 *
 * @throws {LocalRunError} if another local run holds it.
 */
export async function lockState(stateDirectory: string): Promise<StateLock> {
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
