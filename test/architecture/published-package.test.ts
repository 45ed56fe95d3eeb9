import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, root, sourceFiles } from './source-files.ts';

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

const manifest = readJson('package.json') as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** Folders that the build compiles into `dist`, which is what the package publishes. */
const { include: published } = readJson('tsconfig.build.json') as {
  readonly include: readonly string[];
};

const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));

/** `@scope/name/file` and `name/file` belong to the package before the file. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function undeclared(specifiers: readonly string[]): readonly string[] {
  return specifiers
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .filter((specifier) => !declared.has(packageOf(specifier)));
}

describe('the published package', () => {
  it.each(published)('declares every package that %s imports', (folder) => {
    const files = sourceFiles(folder);
    expect(files.length).toBeGreaterThan(5);
    const missing = files.flatMap((file) =>
      undeclared(importsOf(file)).map((name) => `${relative(root, file)} imports ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('sees an import of a development dependency', () => {
    expect(undeclared(['vitest', 'esbuild/lib', '@smithy/core/retry'])).toHaveLength(3);
    expect(undeclared(['./a.ts', 'node:fs', 'commander', 'aws-cdk-lib/aws-iam'])).toEqual([]);
  });
});
