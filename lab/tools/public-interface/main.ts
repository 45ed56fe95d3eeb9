import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { interfaceFile, keptFile, readVersion, release, root } from './files.ts';
import { publicInterface } from './public-interface.ts';
import { findProblems } from './rule.ts';

/*
 * Writes the public interface of this version, and says what its release lacks. `--keep` keeps it
 * as that of a published release: CONTRIBUTING.md says when.
 */

const lines = publicInterface(root);
const path = process.argv.includes('--keep') ? keptFile(readVersion()) : interfaceFile;
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, `${lines.join('\n')}\n`);
process.stdout.write(`${path.slice(root.length + 1)}: ${lines.length} lines\n`);
if (path === interfaceFile) {
  for (const problem of findProblems(release(lines))) process.stdout.write(`${problem}\n`);
}
