import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { writeRelease } from '../../build/release.ts';
import { stagePackages } from '../../build/stage.ts';
import { formatTable } from '../../support/generated-parts.ts';
import { installedWith } from '../../support/installed-with.ts';
import { sizeOf } from './packages.ts';

const root = resolve(import.meta.dirname, '../../..');

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/**
 * What each published package brings into an empty project: itself and its dependencies, in the
 * versions of the lockfile. A peer, such as aws-cdk-lib, is the project's own.
 */
export async function measurePublished(): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'published-'));
  try {
    const archives = await writeRelease(join(work, 'archives'));
    const staged = await stagePackages(join(work, 'staged'));
    const rows = staged.map(({ manifest, folder }, index) => {
      const others = [...installedWith(Object.keys(manifest.dependencies ?? {}))]
        .map((name) => join(root, 'node_modules', name))
        .filter(existsSync);
      const seen = new Set<number>();
      const bytes = [folder, ...others].reduce((sum, path) => sum + sizeOf(path, seen), 0);
      const archive = statSync(archives[index] ?? '').size;
      return [
        basename(manifest.name),
        megabytes(archive),
        `${others.length + 1}`,
        megabytes(bytes),
      ];
    });
    return formatTable([['package', 'archive, MB', 'packages', 'installed, MB'], ...rows]);
  } finally {
    rmSync(work, { recursive: true });
  }
}
