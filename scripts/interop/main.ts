import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkLibrary, matrixAlgs, type Row } from './check-library.ts';
import { startIssuer } from './issuer.ts';
import { libraries } from './libraries.ts';

/*
 * Verifies this service's tokens with the libraries of other languages, as far as their runtimes
 * are on this machine: `npm run test:interop`, or `npm run test:interop -- Spring` for those with
 * Spring in their name. `--write` puts the result into docs/interop.md; what is skipped keeps its row.
 */

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = libraries.filter(({ name, language }) =>
  `${name} ${language}`.includes(positionals[0] ?? ''),
);

const rows: Row[] = [];
const skipped: string[] = [];
let failures = 0;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report({ library, byAlg, cache, unknownKid, mlDsa }: Row): void {
  const { name, version } = library;
  const problems = [...byAlg.values(), cache, unknownKid, mlDsa].flatMap(
    ({ problem }) => problem ?? [],
  );
  failures += problems.length;
  const outcomes = matrixAlgs.map((alg) => `${alg} ${byAlg.get(alg)?.text ?? ''}`);
  say(
    `${problems.length === 0 ? 'ok      ' : 'FAILED  '}${name} ${version}: ${outcomes.join('; ')}`,
  );
  say(`        cache: ${cache.text}; unknown kid: ${unknownKid.text}; ML-DSA key: ${mlDsa.text}`);
  for (const problem of problems) say(`        ${problem}`);
}

const head = [
  'library',
  ...matrixAlgs,
  'needs',
  'JWKS cache',
  'unknown `kid`',
  'unused ML-DSA key',
];

function titleOf({ name, version, language }: Row['library']): string {
  return `${name} ${version} (${language})`;
}

function formatRow({ library, byAlg, cache, unknownKid, mlDsa }: Row): string {
  const algorithms = matrixAlgs.map((alg) => byAlg.get(alg)?.text ?? '');
  const cells = [titleOf(library), ...algorithms, library.needs];
  return `| ${[...cells, cache.text, unknownKid.text, mlDsa.text].join(' | ')} |`;
}

/** A library that was not run keeps the row of its last run with the same version. */
function formatTable(earlier: string): string {
  const lines = libraries.flatMap((library) => {
    const row = rows.find((each) => each.library === library);
    if (row !== undefined) return [formatRow(row)];
    return earlier.split('\n').filter((line) => line.startsWith(`| ${titleOf(library)} |`));
  });
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...lines].join('\n');
}

function writeDocument(): void {
  const path = join(import.meta.dirname, '../../docs/interop.md');
  const between = /(<!-- matrix -->\n)([\s\S]*?)(\n<!-- end of the matrix -->)/;
  const page = readFileSync(path, 'utf8');
  const write = (_: string, start: string, table: string, end: string) =>
    start + formatTable(table) + end;
  writeFileSync(path, page.replace(between, write));
}

const issuer = await startIssuer();
try {
  for (const library of wanted) {
    const prepared = await library.prepare(issuer);
    if ('missing' in prepared) {
      skipped.push(library.name);
      say(`SKIPPED ${library.name} ${library.version}: for want of ${prepared.missing}`);
      continue;
    }
    const row = await checkLibrary(library, prepared.open, issuer);
    rows.push(row);
    report(row);
  }
} finally {
  await issuer.close();
}
say(`interop: ${rows.length} run, ${skipped.length} skipped, ${failures} problems`);
if (values.write && failures === 0) writeDocument();
else if (values.write) say('docs/interop.md was not written: a library failed');
if (failures > 0 || rows.length === 0) process.exitCode = 1;
