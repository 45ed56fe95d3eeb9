import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findReason, formatPackages, measurePackages } from '../../../lab/tools/sizes/packages.ts';

const mebibyte = 2 ** 20;
let modules: string;

beforeEach(() => {
  modules = mkdtempSync(join(tmpdir(), 'packages-'));
});
afterEach(() => rmSync(modules, { recursive: true }));

function write(path: string, bytes: number): string {
  const file = join(modules, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Buffer.alloc(bytes));
  return file;
}

describe('the sizes of packages', () => {
  it('include what is nested, and count a file with two names once', () => {
    const file = write('@scope/one/bin/one', 1000);
    write('@scope/one/node_modules/two/index.js', 20);
    write('three/index.js', 3);
    linkSync(file, join(modules, 'three/one'));
    write('.bin/one', 50);
    expect(measurePackages(modules)).toEqual([
      { name: '@scope/one', bytes: 1020 },
      { name: 'three', bytes: 3 },
    ]);
  });
});

describe('a heavy package', () => {
  it('is listed with its reason, the heaviest first', () => {
    const packages = [
      { name: 'aws-cdk', bytes: 11 * mebibyte },
      { name: 'node', bytes: 180 * mebibyte },
      { name: 'light', bytes: 9 * mebibyte },
    ];
    const lines = formatPackages(packages).split('\n');
    expect(lines[2]).toMatch(/^\| `node` \| 180 MiB \| \w/);
    expect(lines[3]).toMatch(/^\| `aws-cdk` \| 11 MiB \| \w/);
    expect(lines.slice(4)).toEqual([
      '| 1 others | 9 MiB |  |',
      '| **together** | **200 MiB** |  |',
    ]);
  });

  it('is refused without one', () => {
    expect(() => formatPackages([{ name: 'left-pad', bytes: 11 * mebibyte }])).toThrow(
      'left-pad has 11534336 bytes; allowed without a reason: 10485760',
    );
  });

  it.each([
    ['@biomejs/cli-darwin-arm64', true],
    ['@esbuild/linux-x64', true],
    ['node', true],
    ['node-gyp', false],
    ['aws-cdk-library', false],
  ])('%s has a reason: %s', (name, expected) => {
    expect(findReason(name) !== undefined).toBe(expected);
  });
});
