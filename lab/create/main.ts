import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import process from 'node:process';
import { readRequest, usage, withQuestions } from './choices.ts';
import { CreateError } from './create-error.ts';
import { installProject } from './install-project.ts';
import { buildProject, type Pins } from './project.ts';
import { writeProject } from './write-project.ts';

interface Manifest {
  readonly version: string;
  /** The versions that this one is tested with. */
  readonly devDependencies: Readonly<Record<'aws-cdk' | 'aws-cdk-lib' | 'constructs', string>>;
}

/** All packages of a release have one version. */
function readPins(): Pins {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version: own, devDependencies } = JSON.parse(text) as Manifest;
  const { 'aws-cdk': cdk, 'aws-cdk-lib': cdkLib, constructs } = devDependencies;
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
  const request = await withQuestions(process, (ask) => readRequest(args, process.env, ask));
  if (request.help) {
    process.stdout.write(usage);
    return;
  }
  const folder = resolve(request.folder);
  writeProject(folder, buildProject(request, readPins()));
  installProject(folder, process.env['npm_execpath']);
  process.stdout.write(describeNext(folder));
}

try {
  await create(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CreateError)) throw error;
  process.stderr.write(`npm create: ${error.message}\n`);
  process.exitCode = 1;
}
