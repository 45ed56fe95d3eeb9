import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { isOfOthers } from '../../support/lockfile.ts';

const root = resolve(import.meta.dirname, '../../..');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly Component[];
}

interface LockedPackage {
  readonly version: string;
  readonly inBundle?: boolean;
}

const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

const named = (name: string, version: string): string => `${name}@${version}`;

it('the bill of materials names every package of the lockfile, with licence and hash', () => {
  const output = execFileSync(
    'npm',
    [
      'sbom',
      '--include=dev',
      '--package-lock-only',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  const bom = JSON.parse(output) as Bom;
  const listed = new Set(bom.components.map(({ name, version }) => named(name, version)));
  const locked = Object.entries(lockfile.packages)
    .filter(([path]) => isOfOthers(path))
    .map(([path, one]) => ({
      id: named(path.split('node_modules/').at(-1) ?? '', one.version),
      isBundled: one.inBundle === true,
    }));
  const missing = locked.filter(({ id }) => !listed.has(id));
  // What a package brings along in itself is known by that package's hash.
  const bundled = new Set(locked.flatMap(({ id, isBundled }) => (isBundled ? [id] : [])));
  const withoutLicence = bom.components.filter(({ licenses = [] }) => licenses.length === 0);
  const withoutHash = bom.components.filter(
    ({ hashes = [], name, purl, version }) =>
      hashes.length === 0 &&
      // A workspace is named after its folder, which may be another package's name as well.
      isOfOthers(`node_modules/${decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]+$/g, '')}`) &&
      !bundled.has(named(name, version)),
  );
  figure('bill of materials', {
    format: `${bom.bomFormat} ${bom.specVersion}`,
    components: bom.components.length,
    'of the lockfile missing': missing.length,
    'without a licence': withoutLicence.length,
    'without a hash of their own or of what they come in': withoutHash.length,
  });
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  expect(missing).toEqual([]);
  expect(withoutLicence.map(({ name }) => name)).toEqual([]);
  expect(withoutHash.map(({ name }) => name)).toEqual([]);
});
