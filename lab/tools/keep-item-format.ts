import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };
import { writeSamples } from '../support/items/samples.ts';

/*
 * Keeps, with each release, how it reads and writes items: `test/fixtures/items/{version}/` gets
 * the items that it writes and its own parsers. CONTRIBUTING.md says when to run this.
 */

const root = resolve(import.meta.dirname, '../..');
const { version } = manifest;
const directory = join(root, 'test/fixtures/items', version);

if (existsSync(directory)) {
  process.stderr.write(
    `${relative(root, directory)} exists: what ${version} reads and writes does not change after its release. Raise the version in package.json first\n`,
  );
  process.exit(1);
}
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'items.json'), `${JSON.stringify(writeSamples(), undefined, 2)}\n`);
buildSync({
  absWorkingDir: root,
  entryPoints: ['lab/support/items/parsers.ts'],
  outfile: join(directory, 'parsers.mjs'),
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
process.stdout.write(`${relative(root, directory)} has what ${version} reads and writes\n`);
