import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateError } from './create-error.ts';

/** What a new project may find in its folder. */
const harmless: ReadonlySet<string> = new Set(['.git']);

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CreateError(
      `${folder} cannot be used (${(error as NodeJS.ErrnoException).code}); name a new folder`,
      { cause: error },
    );
  }
}

/** @throws {CreateError} if a folder has files, which are left alone. */
export function checkFolder(folder: string): void {
  const found = listFolder(folder).filter((name) => !harmless.has(name));
  if (found.length > 0) {
    const some = `${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}`;
    throw new CreateError(`${folder} is not empty (${some}); name a new folder`);
  }
}

/**
 * Writes the files of a project into a new or empty folder.
 *
 * @throws {CreateError} if the folder has other files, which are left alone.
 */
export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  checkFolder(folder);
  try {
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  } catch (error) {
    throw new CreateError(
      `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); name another folder`,
      { cause: error },
    );
  }
}
