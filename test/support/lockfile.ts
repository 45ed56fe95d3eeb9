import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The project's own packages in its lockfile: the root, its workspaces, and the links to them. A
 * bill of materials names a workspace after its folder.
 */
const own =
  /^$|^verifier$|^packages\/[\w-]+$|^node_modules\/(?:@authorization-server-aws\/[\w-]+|constructs-|verifier|authctl)$/;

/** Whether an entry of the lockfile, by its path, is another project's package. */
export function isOfOthers(path: string): boolean {
  return !own.test(path);
}

const { packages } = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, '../..'), 'package-lock.json'), 'utf8'),
) as {
  readonly packages: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
  >;
};

/** Every package that npm would install with these. */
export function installedWith(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const entry = packages[`node_modules/${name}`];
    if (entry === undefined || found.has(name)) return;
    found.add(name);
    for (const next of Object.keys(entry.dependencies ?? {})) visit(next);
  };
  for (const name of names) visit(name);
  return found;
}
