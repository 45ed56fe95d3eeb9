import { existsSync, readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import process from 'node:process';
import { InterruptedError } from '../../cli/terminal.ts';
import { askOn, readRequest, usage } from './choices.ts';
import { buildProject, CreateError, installProject, type Pins, writeProject } from './project.ts';

interface Manifest {
  readonly version: string;
  /** The versions that this one is tested with. */
  readonly devDependencies: Readonly<Record<'aws-cdk' | 'aws-cdk-lib' | 'constructs', string>>;
}

/**
 * The archive of a package in a folder, as npm names it, seen from the project: its package.json is
 * for other machines too.
 *
 * @throws {CreateError} if the folder has none.
 */
function findArchive(folder: string, project: string, name: string, version: string): string {
  const path = resolve(folder, `authorization-server-aws-${name}-${version}.tgz`);
  if (existsSync(path)) return `file:${relative(project, path).replaceAll('\\', '/')}`;
  throw new CreateError(
    `--packages: received "${folder}"; allowed: a folder with ${basename(path)} (npm run packages -- FOLDER makes it)`,
  );
}

/** All packages of a release have one version. */
function readPins(packages: string | undefined, project: string): Pins {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version, devDependencies } = JSON.parse(text) as Manifest;
  const { 'aws-cdk': cdk, 'aws-cdk-lib': cdkLib, constructs } = devDependencies;
  const own = (name: string) =>
    packages === undefined ? version : findArchive(packages, project, name, version);
  return { own, cdkLib, cdk, constructs };
}

/** What to do next, in the folder of the project. */
function describeNext(folder: string): string {
  const path = relative(process.cwd(), folder);
  return `
The project is in ${folder}.
${path === '' ? '' : `\n  cd ${path}`}
  npm start        runs the service on this machine, and prints a line that gets a token
  npx cdk deploy   deploys it to your AWS account
`;
}

async function create(args: readonly string[]): Promise<void> {
  const request = await readRequest(args, process.env, askOn(process));
  if (request.help) {
    process.stdout.write(usage);
    return;
  }
  const folder = resolve(request.folder);
  writeProject(folder, buildProject(request, readPins(request.packages, folder)));
  await installProject(folder, process.env['npm_execpath']);
  process.stdout.write(describeNext(folder));
}

try {
  await create(process.argv.slice(2));
} catch (error) {
  const isInterrupted = error instanceof InterruptedError;
  if (!isInterrupted && !(error instanceof CreateError)) throw error;
  const text = isInterrupted ? 'interrupted; nothing was written' : error.message;
  process.stderr.write(`create: ${text}\n`);
  process.exitCode = isInterrupted ? 130 : 1;
}
