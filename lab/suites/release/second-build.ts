import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { checksumFile } from '../../build/release.ts';
import { runOrThrow } from '../../support/run-command.ts';

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
export async function buildAgain(root: string, folder: string): Promise<string> {
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
