import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

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
