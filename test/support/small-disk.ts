import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system with little room. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no room at all. */
  fill(): void;
  /** Gives the room back. */
  free(): void;
  remove(): void;
}

function mount(path: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], {
    stdio: 'pipe',
  });
}

/** Why there can be no small disk here; undefined if there can be one. */
export function whyNoSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'disk-'));
  try {
    mount(path, 1);
    execFileSync('umount', [path]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : 'unknown';
  } finally {
    rmSync(path, { recursive: true });
  }
}

/** Mounts a tmpfs, for which Linux asks for root. */
export function makeSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'disk-'));
  mount(path, megabytes);
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => {
      mkdirSync(filler, { recursive: true });
      // Ever smaller files, until not one block is left.
      for (let size = megabytes * 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
        for (let index = 0; statfsSync(path).bavail * statfsSync(path).bsize >= size; index += 1) {
          writeFileSync(join(filler, `${size}-${index}`), Buffer.alloc(size));
        }
      }
    },
    free: () => rmSync(filler, { recursive: true }),
    remove: () => {
      execFileSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true });
    },
  };
}
