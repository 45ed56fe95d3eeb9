import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { VFile } from 'vfile';
import { reporter } from 'vfile-reporter';
import { checkProse } from './check-prose.ts';
import { extractProse } from './extract-prose.ts';
import { countWordRates, type WordRate } from './word-list.ts';

/** The list and its tests contain the words. The changelog quotes what was. */
const unread = /^lab\/tools\/prose\/|^test\/docs\/prose\.test\.ts$|^CHANGELOG\.md$|^LICENSE/;

function proseFiles(folders: readonly string[]): readonly string[] {
  const patterns = folders.length === 0 ? ['.'] : folders;
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(ts|md)$/.test(path) && !unread.test(path));
}

const isWithin = ({ rate, least, most }: WordRate): boolean => rate >= least && rate <= most;

function describeRate(rate: WordRate): string {
  const limits = `${rate.least} to ${rate.most}`;
  const mark = isWithin(rate) ? '' : `  ← outside: write ${rate.advice}`;
  return `  ${rate.word.padEnd(8)} ${rate.rate.toFixed(1).padStart(6)}   allowed ${limits}${mark}`;
}

/** `path:line` of each place of a word that occurs too often; none if it occurs too seldom. */
function placesOf({ word, rate, most }: WordRate, files: readonly VFile[]): readonly string[] {
  if (rate <= most) return [];
  const pattern = new RegExp(`\\b${word}\\b`, 'i');
  return files.flatMap((file) =>
    String(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}`] : [])),
  );
}

const folders = process.argv.slice(2);
const files = proseFiles(folders).map((path) => {
  const prose = extractProse(path, readFileSync(path, 'utf8'));
  return new VFile({ path, value: prose });
});
for (const file of files) await checkProse(file);

const { total, rates } = countWordRates(files.map(String).join('\n'));
const findings = files.filter(({ messages }) => messages.length > 0);
if (findings.length > 0) console.error(reporter(findings));
console.log(`${total} words of prose in ${files.length} files; in 10,000 words:`);
console.log(rates.map(describeRate).join('\n'));

// A folder's share is too small to say anything of the rates: they are judged over everything.
const outside = folders.length === 0 ? rates.filter((rate) => !isWithin(rate)) : [];
for (const rate of outside) console.error(placesOf(rate, files).join('\n'));
if (findings.length > 0 || outside.length > 0) process.exitCode = 1;
