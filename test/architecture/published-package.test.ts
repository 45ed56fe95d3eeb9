import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOfOthers } from '../support/lockfile.ts';
import { importsOf, root, sourceFiles } from './source-files.ts';

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

const manifest = readJson('package.json') as {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

const { include: compiled } = readJson('tsconfig.build.json') as {
  readonly include: readonly string[];
};

/** Folders that the build puts into `dist`, which is what the package publishes. */
const published = [...compiled, 'cli'];

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
    expect(undeclared(['vitest', 'esbuild/lib', 'dynalite/x'])).toHaveLength(3);
    expect(undeclared(['./a.ts', 'node:fs', 'commander', 'aws-cdk-lib/aws-iam'])).toEqual([]);
  });
});

type Version = readonly number[];

const { packages: locked } = readJson('package-lock.json') as {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly engines?: { readonly node?: string } }>
  >;
};

/** The oldest Node that the package promises to run on. */
const oldest = manifest.engines.node.replace('>=', '');

function parseVersion(text: string): Version {
  return text.split('.').map(Number);
}

function isAtLeast(version: Version, bound: Version): boolean {
  const at = bound.findIndex((part, index) => part !== (version[index] ?? 0));
  return at < 0 || (version[at] ?? 0) > (bound[at] ?? 0);
}

/** Whether a range such as `10.* || ^22.12.0 || >= 24` has the version. */
function allows(range: string, version: Version): boolean {
  return range.split('||').some((alternative) => {
    const match = /^\s*(>=|\^|)\s*(\d+(?:\.\d+)*)(?:\.\*)?\s*$/.exec(alternative);
    if (match === null) throw new Error(`engines of Node that this test cannot read: ${range}`);
    const [, operator, text = ''] = match;
    const bound = parseVersion(text);
    return isAtLeast(version, bound) && (operator === '>=' || version[0] === bound[0]);
  });
}

describe('the Node that the package promises', () => {
  it('is one that every package which is installed with it supports', () => {
    const installed = Object.entries(locked).filter(([path, { dev }]) => isOfOthers(path) && !dev);
    expect(installed.length).toBeGreaterThan(30);
    const refusing = installed
      .filter(([, { engines }]) => !allows(engines?.node ?? '>=0', parseVersion(oldest)))
      .map(([path, { engines }]) => `${path}: ${engines?.node}`);
    expect(refusing).toEqual([]);
  });

  it('is compared number by number', () => {
    expect(allows('>=22.12.0', parseVersion('20.19.0'))).toBe(false);
    expect(allows('>=22.12.0', parseVersion('22.12.0'))).toBe(true);
    expect(allows('^22.13.0 || ^24.0.0', parseVersion('22.12.0'))).toBe(false);
    expect(allows('10.* || >= 12.*', parseVersion('22.12.0'))).toBe(true);
    expect(allows('^20.9', parseVersion('22.12.0'))).toBe(false);
  });

  it.each(['README.md', 'docs/getting-started.md', 'CONTRIBUTING.md'])(
    'is what %s says',
    (page) => {
      const said = [
        ...readFileSync(join(root, page), 'utf8').matchAll(/\bNode (\d+(?:\.\d+)*) or newer/g),
      ];
      expect(said.map(([, version]) => version)).toEqual([oldest.replace(/\.0$/, '')]);
    },
  );
});

describe('the package of the verifier', () => {
  const verifier = readJson('verifier/package.json') as typeof manifest & {
    readonly name: string;
    readonly version: string;
  };

  it('needs no other package', () => {
    expect(Object.keys(verifier)).not.toContain('dependencies');
  });

  it('is published together with this one, for the same Node', () => {
    const { version } = readJson('package.json') as { readonly version: string };
    expect(verifier.version).toBe(version);
    expect(manifest.dependencies[verifier.name]).toBe(version);
    expect(verifier.engines).toEqual(manifest.engines);
  });
});
