import { execFileSync } from 'node:child_process';

/** `repository` of a package.json. */
export interface Repository {
  readonly type: 'git';
  readonly url: string;
  /** The folder of the package. */
  readonly directory: string;
}

const sshForm = /^(?:ssh:\/\/)?git@([\w.-]+)[:/](?:\d+\/)?(.+)$/;

/**
 * The public address of a Git remote, without credentials.
 *
 * @returns undefined if the remote is a path on this machine.
 */
export function repositoryOf(remote: string, directory: string): Repository | undefined {
  const address = remote.trim().replace(sshForm, 'https://$1/$2');
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return undefined;
  const { origin, pathname } = new URL(address);
  const path = pathname.replace(/(?:\.git)?\/?$/, '.git');
  return { type: 'git', url: `git+${origin}${path}`, directory };
}

/** The repository that this clone comes from; undefined if it has no remote. */
export function findRepository(root: string, directory: string): Repository | undefined {
  try {
    const remote = execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return repositoryOf(remote, directory);
  } catch {
    // No clone, or no remote: the package says nothing about its source.
    return undefined;
  }
}
