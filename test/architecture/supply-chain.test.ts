import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lambdaFunctions } from '../../lab/build/main.ts';
import { packages } from '../../lab/build/packages.ts';
import { readManifest } from '../../lab/build/stage.ts';
import { installedWith } from '../../lab/support/installed-with.ts';
import { loadedBy } from '../../lab/tools/sizes/loaded-files.ts';
import { figure } from '../support/figure.ts';
import { isOfOthers } from '../support/lockfile.ts';
import { importsOf, root, sourceFiles } from './source-files.ts';

interface LockedPackage {
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

const manifest = readJson('package.json') as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly workspaces: readonly string[];
};

const workspaces = manifest.workspaces.map((folder) => `${folder}/package.json`);

const lockfile = readJson('package-lock.json') as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

const locked = Object.entries(lockfile.packages)
  .filter(([path]) => isOfOthers(path))
  .map(([path, entry]) => ({ name: path.split('node_modules/').at(-1) ?? path, ...entry }));

/** Permissive licences, in SPDX's words. */
const permissive: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT OR Apache-2.0',
  // Two offers, of which we take MIT.
  '(MIT OR GPL-3.0-or-later)',
]);

/** Weak copyleft, by name: tools that tests run, unchanged, and that are in nothing we ship. */
const reviewed = /^(lightningcss|axe-core$)/;

/**
 * Strong copyleft (AGPL-3.0-or-later), by name: the engine that evaluates IAM policies in tests and
 * in `npm start -- --from-synth`. It runs unchanged on the developer's machine, and nothing of it
 * is distributed or offered over a network. ADR 0055.
 */
const reviewedCopyleft: ReadonlySet<string> = new Set([
  '@cloud-copilot/iam-policy',
  '@cloud-copilot/iam-simulate',
  '@cloud-copilot/iam-utils',
]);

/** Reviewed: what an install script of a dependency may be run for. */
const installScripts: Readonly<Record<string, boolean>> = {
  // Puts Lambda's own Node into node_modules, from the package next to it.
  node: true,
  // Checks that the platform's binary is there.
  esbuild: true,
  // Would compile; a prebuilt binary is in the package.
  'classic-level': false,
  // Reports installations to its maker.
  '@scarf/scarf': false,
};

/** What npm installs with the published packages. */
const shipped = installedWith(
  packages.flatMap(({ folder }) =>
    Object.keys(readManifest(join(root, folder)).dependencies ?? {}),
  ),
);

describe('dependencies', () => {
  it('are pinned to one version each', () => {
    const all = ['package.json', ...workspaces].flatMap((path) => {
      const { dependencies, devDependencies } = readJson(path) as typeof manifest;
      return Object.entries({ ...dependencies, ...devDependencies });
    });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('are known by their content, and come from the npm registry', () => {
    const own = locked.filter(({ inBundle }) => inBundle !== true);
    expect(own.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
    // The lockfile leaves out addresses of the registry (.npmrc): one that stands is another's.
    const elsewhere = own.filter(({ resolved }) => resolved !== undefined);
    expect(elsewhere).toEqual([]);
  });

  it('run no install script but those that were reviewed', () => {
    const withScript = locked.filter(({ hasInstallScript }) => hasInstallScript === true);
    expect(withScript.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(installScripts).toSorted(),
    );
    expect(manifest.allowScripts).toEqual(installScripts);
  });

  it('have licences that allow what we do with them', () => {
    const others = locked.filter(({ license = 'none' }) => !permissive.has(license));
    const unknown = others.filter(
      ({ name }) => !reviewed.test(name) && !reviewedCopyleft.has(name),
    );
    expect(unknown).toEqual([]);
    expect(others.filter(({ name }) => shipped.has(name))).toEqual([]);
    const scripts = locked.filter((one) => one.hasInstallScript === true).length;
    const allowed = Object.values(manifest.allowScripts).filter(Boolean).length;
    figure('dependencies', {
      packages: locked.length,
      'with an install script': scripts,
      'of these that may run': allowed,
      'not permissively licensed': others.length,
      'of these shipped': others.filter(({ name }) => shipped.has(name)).length,
    });
  });
});

describe('the copyleft engine of IAM', () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^(?:node_modules|dist)$/.test(entry.name))
    .map(({ name }) => name);
  const importers = folders
    .flatMap(sourceFiles)
    .filter((file) => importsOf(file).some((name) => name.startsWith('@cloud-copilot/')))
    .map((file) => relative(root, file));

  it('is imported by one file of the emulator and no other', () => {
    expect(importers).toEqual(['lab/emulator/iam/evaluate-request.ts']);
  });

  it('is loaded by no function', () => {
    const loading = lambdaFunctions().filter((name) =>
      [...loadedBy(name)].some((file) => /cloud-copilot|^lab\//.test(file)),
    );
    expect(loading).toEqual([]);
  });

  it('is in nothing that is built or published', () => {
    const built = packages.flatMap(({ folder }) =>
      readdirSync(join(root, folder, 'dist'), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, 'dist', file),
      ),
    );
    expect(built.length).toBeGreaterThan(100);
    const naming = built
      .filter((file) => /\.(?:js|d\.ts|json)$/.test(file))
      .filter((file) => readFileSync(join(root, file), 'utf8').includes('cloud-copilot'));
    expect(naming).toEqual([]);
    for (const { folder } of packages) {
      const { dependencies = {}, files } = readManifest(join(root, folder));
      expect(Object.keys(dependencies)).not.toContain('@cloud-copilot/iam-simulate');
      expect([...(files ?? [])].filter((name) => name !== 'bin')).toEqual(['dist', 'CHANGELOG.md']);
    }
  });
});

const workflows = readdirSync(join(root, '.github/workflows')).map((name) =>
  readFileSync(join(root, '.github/workflows', name), 'utf8'),
);

describe('the workflows', () => {
  it('take actions by their commit: a tag can be moved', () => {
    const used = workflows.flatMap((text) =>
      [...text.matchAll(/uses: (\S+)/g)].map(([, name = '']) => name),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(name))).toEqual([]);
  });

  it('ask for known vulnerabilities every day, and let none pass', () => {
    const asking = workflows.filter((text) =>
      /git ls-files '\*package-lock\.json' \| while/.test(text),
    );
    expect(asking.join()).toContain('npm audit --audit-level=low --include=dev');
    expect(asking.map((text) => (parse(text) as { on: object }).on)).toEqual([
      expect.objectContaining({
        schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }],
      }),
    ]);
  });

  it('read the repository and nothing else', () => {
    const permissions = workflows.map(
      (text) => (parse(text) as { permissions: unknown }).permissions,
    );
    expect(permissions).toEqual(workflows.map(() => ({ contents: 'read' })));
  });

  it('write only in the jobs that publish a release', () => {
    const jobs = workflows.flatMap((text) =>
      Object.entries((parse(text) as { jobs: Record<string, { permissions?: object }> }).jobs),
    );
    const more = jobs.filter(([, { permissions }]) => permissions !== undefined);
    expect(Object.fromEntries(more.map(([name, job]) => [name, job.permissions]))).toEqual({
      publish: { contents: 'read', 'id-token': 'write' },
      page: { contents: 'write' },
      container: { contents: 'read', packages: 'write' },
    });
  });

  it('run no package where npm trusts the job, or the page of the release can be written', () => {
    const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { run?: string }[] }>>;
    };
    const commands = (job: string) => jobs[job]?.steps.flatMap(({ run }) => run ?? []);
    expect(commands('publish')).toEqual([
      'sha256sum --check SHA256SUMS',
      'node lab/build/publish.ts release --provenance',
    ]);
    expect(commands('page')).toEqual([
      'gh release create "$GITHUB_REF_NAME" release/* --notes-file notes.md --verify-tag',
    ]);
    expect(commands('container')?.filter((command) => !command.startsWith('docker '))).toEqual([
      'sha256sum --check SHA256SUMS',
      'tar -xzf release/*-verifier-*.tgz -C verifier --strip-components 1',
    ]);
  });

  it('make the archives with nothing else in the job', () => {
    const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { run?: string }[] }>>;
    };
    expect(jobs['build']?.steps.flatMap(({ run }) => run ?? [])).toEqual([
      'test "v$(node -p \'require("./package.json").version\')" = "$GITHUB_REF_NAME"',
      'npm ci --no-audit --include=dev',
      'npm run packages -- release',
      'node lab/build/release-notes.ts "${GITHUB_REF_NAME#v}" > notes.md',
    ]);
  });
});

describe('npm', () => {
  it('refuses scripts of packages that a manifest does not name, wherever it installs', () => {
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true');
    const installing = sourceFiles('lab').filter((file) =>
      /\['npm', '(?:install|ci)'/.test(readFileSync(file, 'utf8')),
    );
    const strict = /--ignore-scripts'|--strict-allow-scripts'/;
    expect(installing.length).toBeGreaterThan(3);
    expect(installing.filter((file) => !strict.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('base images', () => {
  it('are named by their digest', () => {
    const files = execFileSync('git', ['ls-files', '*Dockerfile*'], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n');
    for (const file of files) {
      const bases = [...readFileSync(join(root, file), 'utf8').matchAll(/^FROM (\S+)/gm)];
      expect(bases.map(([, base]) => base)).toEqual([
        expect.stringMatching(/^[a-z.:/0-9-]+@sha256:[0-9a-f]{64}$/),
      ]);
    }
  });
});

interface DependabotUpdate {
  readonly 'package-ecosystem': string;
  readonly directory?: string;
  readonly directories?: readonly string[];
}

describe('Dependabot', () => {
  it('looks after every list of dependencies', () => {
    const { updates } = parse(readFileSync(join(root, '.github/dependabot.yml'), 'utf8')) as {
      readonly updates: readonly DependabotUpdate[];
    };
    const manifests = new Map([
      ['npm', 'package.json'],
      ['pip', 'requirements.txt'],
      ['gomod', 'go.mod'],
      ['maven', 'pom.xml'],
      ['cargo', 'Cargo.toml'],
      ['docker', 'Dockerfile'],
    ]);
    const watched = updates.flatMap(
      ({ 'package-ecosystem': kind, directory, directories = [directory ?? ''] }) => {
        const manifest = manifests.get(kind);
        return manifest === undefined ? [] : directories.map((each) => join(each, manifest));
      },
    );
    const names = new Set(manifests.values());
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      // The root's lockfile has workspaces, and published packages its versions, which a test compares.
      .filter((path) => names.has(basename(path)) && !workspaces.includes(path))
      .filter((path) => !path.startsWith('packages/'));
    expect(watched.map((path) => path.slice(1)).toSorted()).toEqual(tracked.toSorted());
  });
});
