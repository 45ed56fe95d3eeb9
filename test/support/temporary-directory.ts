import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function makeTemporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'authorization-server-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A directory that goes when the test ends. */
export function temporaryDirectory(): string {
  const { path, remove } = makeTemporaryDirectory();
  onTestFinished(remove);
  return path;
}
