import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runOrThrow } from '../../../support/run-command.ts';
import { makePythonEnvironment } from '../../../support/runtimes.ts';
import { exceptions } from './exceptions.ts';
import { parseReport, reviewFindings } from './review-findings.ts';

/*
 * Runs checkov once on every template of a folder: `node lab/suites/templates/checkov/main.ts FOLDER`. It fails
 * if checkov finds anything that exceptions.ts has no reason for, or an exception has no finding.
 */

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: node lab/suites/templates/checkov/main.ts FOLDER');

const requirements = resolve(import.meta.dirname, 'requirements.txt');
const python = await makePythonEnvironment(['-r', requirements]);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: checkov does not run, for want of ${python.missing}\n`);
} else {
  process.exitCode = await scan(python.bin, folder);
}

async function scan(bin: string, templates: string): Promise<number> {
  using home = mkdtempDisposableSync(join(tmpdir(), 'checkov-'));
  // The command line of checkov, without an account of its maker and without a connection to it.
  const options =
    '--framework cloudformation --skip-download --output json --compact --quiet --soft-fail';
  const paths = ['--directory', templates, '--output-file-path', home.path];
  await runOrThrow([join(bin, 'checkov'), ...options.split(' '), ...paths], {
    // Its processes, which it forks while threads run, wait for each other for ever at times.
    environment: { HOME: home.path, LOG_LEVEL: 'ERROR', CHECKOV_PARALLELIZATION_TYPE: 'none' },
  });
  return report(readFileSync(join(home.path, 'results_json.json'), 'utf8'));
}

function report(output: string): number {
  const found = parseReport(output);
  const { unacknowledged, unused } = reviewFindings(found, exceptions);
  for (const finding of unacknowledged) process.stdout.write(`checkov: ${finding}\n`);
  for (const exception of unused) {
    process.stdout.write(`checkov: no finding needs this exception any more: ${exception}\n`);
  }
  const { passed, resource_count: resources } = found.summary;
  const acknowledged = found.results.failed_checks.length - unacknowledged.length;
  process.stdout.write(
    `checkov: ${resources} resources, ${passed} checks passed, ${acknowledged} acknowledged, ${unacknowledged.length} not\n`,
  );
  return unacknowledged.length + unused.length === 0 ? 0 : 1;
}
