import { spawnSync } from 'node:child_process';
import { CreateError } from './create-error.ts';

/** Codes of npm that mean: the registry did not answer. */
const offline =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/**
 * Installs a project with the npm that called this command.
 *
 * @throws {CreateError} if npm fails. The project stays, so that one command completes it.
 */
export function installProject(folder: string, npm: string | undefined): void {
  // The local run is a development dependency, and npm's settings may leave these out, as a clone's do.
  const args = ['install', '--include=dev', '--no-audit', '--no-fund'];
  const [command, ...head] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const { status, stderr } = spawnSync(command, [...head, ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return;
  const code = offline.exec(stderr)?.[1];
  throw new CreateError(
    code === undefined
      ? `npm install failed: ${stderr.trim()}\nThe project is in ${folder}: run "npm install" there after the repair`
      : `the npm registry does not answer (${code}); the project is in ${folder}: run "npm install" there when it does`,
  );
}
