import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * The section of a version in the changelog, without its heading.
 *
 * @throws {Error} if the changelog has no such section.
 */
export function readReleaseNotes(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} - `));
  if (section === undefined) {
    throw new Error(`CHANGELOG.md: no section "## ${version} - DATE"; a release needs one`);
  }
  return section.slice(section.indexOf('\n') + 1).trim();
}

/** `node lab/build/release-notes.ts VERSION` prints what the page of a release says. */
if (import.meta.main) {
  const path = resolve(import.meta.dirname, '../../CHANGELOG.md');
  const [version = ''] = process.argv.slice(2);
  process.stdout.write(`${readReleaseNotes(readFileSync(path, 'utf8'), version)}\n`);
}
