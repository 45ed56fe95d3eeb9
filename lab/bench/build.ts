import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { lambdaBuildOptions } from '../build/main.ts';

export const root = resolve(import.meta.dirname, '../..');

/** The folder for the bundles of a benchmark. Git ignores it. */
export const workFolder = join(root, '.local/bench');

/** What CDK's NodejsFunction does by default, and `bundleAwsSDK: true`: nothing is minified. */
const usualWay: BuildOptions = { bundle: true, platform: 'node', target: 'node24', format: 'cjs' };

/** A function as Lambda would unpack it. */
export interface Bundle {
  readonly name: string;
  readonly taskRoot: string;
  /** Size of the JavaScript, in bytes. */
  readonly bytes: number;
}

function finish(name: string): Bundle {
  const taskRoot = join(workFolder, name);
  writeFileSync(join(taskRoot, 'package.json'), '{"type":"commonjs"}\n');
  return { name, taskRoot, bytes: statSync(join(taskRoot, 'index.js')).size };
}

/** Bundles one of our functions as `npm run build` does. */
export function buildFunction(name: string): Bundle {
  buildSync(lambdaBuildOptions([name], workFolder));
  return finish(name);
}

function bundleFile(file: string, outfile: string): void {
  const options: BuildOptions = { entryPoints: [file], outfile, logLevel: 'warning' };
  buildSync({ ...usualWay, ...options, absWorkingDir: root });
}

/** Bundles a file of bench/ the usual way. */
export function buildUsualWay(name: string, file: string): Bundle {
  bundleFile(file, join(workFolder, name, 'index.js'));
  return finish(name);
}

/** Bundles the runtime loop that measures. @returns the script's path. */
export function buildMeasuredRuntime(): string {
  const outfile = join(workFolder, 'measured-runtime.cjs');
  bundleFile('lab/bench/measured-runtime.ts', outfile);
  return outfile;
}

export function emptyWorkFolder(): void {
  rmSync(workFolder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
}
