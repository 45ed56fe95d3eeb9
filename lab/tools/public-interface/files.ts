import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { parseVersion, type Release } from './rule.ts';

export const root = resolve(import.meta.dirname, '../../..');

/** The public interface of the sources. */
export const interfaceFile = join(root, 'docs/public-interface.txt');

const kept = join(root, 'test/fixtures/public-interface');

/** The public interface of a release. */
export function keptFile(version: string): string {
  return join(kept, `${version}.txt`);
}

export function readLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

export const readVersion = () => manifest.version;

/** The newest release before a version. */
function releaseBefore(version: string): string {
  const order = (text: string) => parseVersion(text).reduce((sum, part) => sum * 10_000 + part, 0);
  const versions = readdirSync(kept).map((name) => basename(name, '.txt'));
  const earlier = versions.filter((each) => order(each) < order(version));
  return earlier.toSorted((a, b) => order(a) - order(b)).at(-1) ?? '0.0.0';
}

/** The first section of the changelog: what is not released yet, or the newest release. */
function newestSection(): string {
  return readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)[1] ?? '';
}

/** The next release, if it has this interface. */
export function release(lines: readonly string[]): Release {
  const version = readVersion();
  const before = releaseBefore(version);
  const linesBefore = readLines(keptFile(before));
  return { before, version, linesBefore, lines, changelog: newestSection() };
}
