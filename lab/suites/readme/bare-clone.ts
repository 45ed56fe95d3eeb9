import { cpSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runOrThrow } from '../../support/run-command.ts';
import { cleanEnvironment, readNpmSetting } from '../release/local-registry.ts';

/** A clone in which nothing is installed, and the environment of a reader who has nothing else. */
export interface BareClone {
  readonly folder: string;
  readonly onlyEnvironment: NodeJS.ProcessEnv;
}

/**
 * The reader's shell: an empty HOME, and no package of this project on the PATH. npm keeps its
 * registry and its cache, so that CI downloads nothing twice.
 */
async function readerEnvironment(home: string, root: string): Promise<NodeJS.ProcessEnv> {
  const own = cleanEnvironment();
  const path = (own['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(root));
  return {
    ...own,
    PATH: path.filter((entry) => !entry.includes('node_modules')).join(delimiter),
    HOME: home,
    NPM_CONFIG_USERCONFIG: await readNpmSetting('userconfig'),
    NPM_CONFIG_CACHE: await readNpmSetting('cache'),
  };
}

/** Copies what Git has, or would add, into an empty folder. */
export async function makeBareClone(root: string, work: string): Promise<BareClone> {
  const [folder, home] = [join(work, 'clone'), join(work, 'home')];
  for (const path of [folder, home]) mkdirSync(path);
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'] as const;
  const deleted = await runOrThrow(['git', 'ls-files', '-z', '--deleted'], { cwd: root });
  const gone = new Set(deleted.split('\0'));
  for (const file of (await runOrThrow(list, { cwd: root })).split('\0')) {
    if (file === '' || gone.has(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  return { folder, onlyEnvironment: await readerEnvironment(home, root) };
}
