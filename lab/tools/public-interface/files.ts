import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Release } from './rule.ts';

export const root = resolve(import.meta.dirname, '../../..');

const interfacePath = 'docs/public-interface.txt';

/** The public interface of the sources. */
export const interfaceFile = join(root, interfacePath);

const linesOf = (text: string) => text.trim().split('\n');

export function readInterface(): readonly string[] {
  return linesOf(readFileSync(interfaceFile, 'utf8'));
}

/** The first section of the changelog: what is not released yet, or the newest release. */
function newestSection(): string {
  return readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)[1] ?? '';
}

/**
 * The next release, if it has this interface.
 *
 * @param tag of the release before, such as `v1.0.0`.
 */
export function releaseAfter(tag: string, lines: readonly string[]): Release {
  const read = (path: string) =>
    execFileSync('git', ['show', `${tag}:${path}`], { cwd: root, encoding: 'utf8' });
  const { version: before } = JSON.parse(read('package.json')) as { readonly version: string };
  return {
    before,
    version: manifest.version,
    linesBefore: linesOf(read(interfacePath)),
    lines,
    changelog: newestSection(),
  };
}
