import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/debian');

/** What apt would install: the packages with all that they need and this machine lacks. */
async function resolvePackages(names: readonly string[]): Promise<readonly string[]> {
  const flags = ['--simulate', '--no-install-recommends'];
  const { output } = await runCommand(['apt-get', 'install', ...flags, ...names]);
  return [...output.matchAll(/^Inst (\S+) (?:\[[^\]]*\] )?\((\S+)/gm)].map(
    ([, name, version]) => `${name}=${version}`,
  );
}

/**
 * Unpacks Debian or Ubuntu packages into a folder of this project: nothing is installed on the
 * machine, no service starts, and it needs no root once the package lists are there.
 *
 * @returns the folder that stands for `/`, or why there is none.
 */
export async function unpackDebianPackages(
  ...names: readonly string[]
): Promise<{ readonly root: string } | { readonly missing: string }> {
  const root = join(cache, names.join('-'));
  if (existsSync(root)) return { root };
  let packages = await resolvePackages(names);
  if (packages.length === 0) {
    // A fresh container has no package lists.
    await runCommand(['apt-get', 'update', '--quiet']);
    packages = await resolvePackages(names);
  }
  if (packages.length === 0) return { missing: `${names.join(', ')} from Debian's packages` };
  const making = `${root}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const fetched = await runCommand(['apt-get', 'download', ...packages], { cwd: making });
  if (fetched.code !== 0) return { missing: `${names.join(', ')} from Debian's packages` };
  for (const file of readdirSync(making).filter((name) => name.endsWith('.deb'))) {
    const { code, output } = await runCommand(['dpkg-deb', '--extract', file, '.'], {
      cwd: making,
    });
    if (code !== 0) return { missing: `${file}: ${output.trim()}` };
  }
  renameSync(making, root);
  return { root };
}
