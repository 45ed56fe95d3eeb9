import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packages } from '../../lab/build/packages.ts';
import { readManifest } from '../../lab/build/stage.ts';
import { installedWith } from '../../lab/support/installed-with.ts';
import { figure } from '../support/figure.ts';
import { importsOf, root, shippedFiles, sourceFiles } from './source-files.ts';

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

const manifest = readJson('package.json') as {
  readonly version: string;
  readonly private: boolean;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The packages that a folder's manifest says it needs to run. */
function named(folder: string): Readonly<Record<string, string>> {
  return readManifest(join(root, folder)).dependencies ?? {};
}

const published = packages.map(({ folder, entries, commands }) => ({
  folder,
  ...readManifest(join(root, folder)),
  sources: Object.values({ ...entries, ...commands }),
}));

/** `@scope/name/file` and `name/file` belong to the package before the file. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const staticImport = /(?:^|[;}])\s*(?:import|export)\b[^'"`;]*?\bfrom\s*["']([^"']+)["']/gm;

/** The packages that the built files of a package import. */
function importedPackages(folder: string): readonly string[] {
  const dist = join(root, folder, 'dist');
  const names = globSync('**/*.{js,d.ts}', { cwd: dist, exclude: ['lambda/**'] }).flatMap((file) =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(staticImport)].map(
      ([, specifier = '']) => specifier,
    ),
  );
  const others = names.filter((name) => !/^(?:\.|node:)/.test(name) && !isBuiltin(name));
  return [...new Set(others.map(packageOf))].toSorted();
}

describe.each(published)('the package $name', ({ folder, ...own }) => {
  it('declares what it imports', () => {
    const declared = Object.keys({ ...own.dependencies, ...own.peerDependencies });
    const imported = importedPackages(folder);
    expect(imported.filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('declares nothing else, in the versions that are tested here', () => {
    const { dependencies = {}, devDependencies = {} } = own;
    const tested = {
      ...manifest.devDependencies,
      ...named('.'),
      ...named('lab'),
      ...named('portal'),
    };
    const others = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([name, version]) => tested[name] !== version,
    );
    expect(others).toEqual([]);
    const unused = Object.keys(dependencies).filter(
      (name) => !importedPackages(folder).includes(name) && !loadedByName.has(name),
    );
    expect(unused).toEqual([]);
  });

  it('has the version and the Node of the project, and is published by the release only', () => {
    const { version, engines } = manifest;
    expect(own).toMatchObject({ version, engines, private: true });
    expect(manifest.private).toBe(true);
    expect(own.name).toMatch(/^@authorization-server-aws\/[a-z]+$/);
    // What npm would run at an installation, or before it packs.
    expect(own).not.toHaveProperty('scripts');
  });

  it('brings few packages', () => {
    const installed = installedWith(Object.keys(own.dependencies ?? {}));
    figure(`packages that ${own.name} brings`, { packages: installed.size });
    expect(installed.size).toBeLessThanOrEqual(mostPackages[own.name] ?? 0);
    const heavy = [...installed].filter((name) => /^(?:@aws-sdk\/|hono$)/.test(name));
    if (!withSdk.has(folder)) expect(heavy).toEqual([]);
  });
});

describe('the manifests of this repository', () => {
  const imported = (files: readonly string[]) =>
    new Set(
      files
        .flatMap(importsOf)
        .map(packageOf)
        .filter((name) => !isBuiltin(name)),
    );
  const isOfPortal = (file: string) => file.startsWith(join(root, 'portal/'));
  const product = imported(shippedFiles().filter((file) => !isOfPortal(file)));
  // For synthesis and for types, so of the developer.
  const ofDeveloper = ['aws-cdk-lib', 'aws-lambda', 'cdk-nag', 'constructs'];
  const rest = (names: Iterable<string>, known: readonly string[]) =>
    [...names].filter((name) => !known.includes(name) && !/^[.#]/.test(name)).toSorted();

  it('say at the root what runs in production, and what bundles it', () => {
    expect(rest(product, [...Object.keys(named('.')), ...ofDeveloper])).toEqual([]);
    expect(rest(Object.keys(named('.')), [...product])).toEqual(['esbuild']);
  });

  it('say in portal/ and lab/ what only the portal and the local run need', () => {
    const all = { ...named('.'), ...named('portal') };
    const files = shippedFiles().filter(isOfPortal);
    expect(rest(imported(files), Object.keys(all))).toEqual([]);
    expect(rest(Object.keys(named('portal')), [...imported(files)])).toEqual([]);
    // Run by its name, and read as files.
    const byName = ['node', 'swagger-ui-dist'];
    expect(rest(Object.keys(named('lab')), [...imported(sourceFiles('lab'))])).toEqual(byName);
    expect(Object.keys(named('lab')).filter((name) => name in all)).toEqual([]);
  });
});

/** Imported with `import()` or from another entry, which the pattern above does not see. */
const loadedByName: ReadonlySet<string> = new Set(dynamicImports());

function dynamicImports(): readonly string[] {
  const texts = published.flatMap(({ folder }) =>
    globSync('*.js', { cwd: join(root, folder, 'dist') }).map((file) =>
      readFileSync(join(root, folder, 'dist', file), 'utf8'),
    ),
  );
  return texts.flatMap((text) =>
    [...text.matchAll(/import\(\s*["']([^"'.][^"']*)["']\s*\)/g)].map(([, name = '']) =>
      packageOf(name),
    ),
  );
}

/** Without CDK's own, which a CDK app has anyway. */
const mostPackages: Readonly<Record<string, number>> = {
  '@authorization-server-aws/constructs': 5,
  '@authorization-server-aws/authctl': 45,
  '@authorization-server-aws/verifier': 0,
  '@authorization-server-aws/local': 92,
  '@authorization-server-aws/create': 0,
};

/** They call AWS, or imitate it. */
const withSdk: ReadonlySet<string> = new Set(['packages/authctl', 'packages/local']);

type Version = readonly number[];

const { packages: locked } = readJson('package-lock.json') as {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly engines?: { readonly node?: string };
        readonly dependencies?: Readonly<Record<string, string>>;
      }
    >
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
    if (alternative.trim() === '*') return true;
    const match = /^\s*(>=|\^|)\s*(\d+(?:\.\d+)*)(?:\.\*)?\s*$/.exec(alternative);
    if (match === null) throw new Error(`engines of Node that this test cannot read: ${range}`);
    const [, operator, text = ''] = match;
    const bound = parseVersion(text);
    return isAtLeast(version, bound) && (operator === '>=' || version[0] === bound[0]);
  });
}

describe('the Node that the package promises', () => {
  it('is one that every package which is installed with it supports', () => {
    const names = published.flatMap(({ dependencies }) => Object.keys(dependencies ?? {}));
    const installed = [...installedWith(names)].map((name) => `node_modules/${name}`);
    expect(installed.length).toBeGreaterThan(30);
    const refusing = installed
      .map((path) => [path, locked[path] ?? {}] as const)
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
    expect(allows('*', parseVersion('22.12.0'))).toBe(true);
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
