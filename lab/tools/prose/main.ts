import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { VFile } from 'vfile';
import { reporter } from 'vfile-reporter';
import { checkProse } from './check-prose.ts';
import { extractProse } from './extract-prose.ts';

/** The list and its tests contain the words. The changelog quotes what was. */
const unread = /^lab\/tools\/prose\/|^test\/docs\/prose\.test\.ts$|^CHANGELOG\.md$|^LICENSE/;

function proseFiles(folders: readonly string[]): readonly string[] {
  const patterns = folders.length === 0 ? ['.'] : folders;
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(ts|md)$/.test(path) && !unread.test(path));
}

const folders = process.argv.slice(2);
const files = proseFiles(folders).map((path) => {
  const prose = extractProse(path, readFileSync(path, 'utf8'));
  return new VFile({ path, value: prose });
});
for (const file of files) await checkProse(file);

const findings = files.filter(({ messages }) => messages.length > 0);
if (findings.length > 0) {
  console.error(reporter(findings));
  process.exitCode = 1;
}
