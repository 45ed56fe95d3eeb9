import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FirstProgram, firstPrograms } from '../../../portal/pages/clients/first-request.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { type Command, runCommand } from '../../support/run-command.ts';
import {
  cacheFolder,
  goRuntime,
  type Missing,
  pythonRuntime,
  type Runtime,
} from '../../support/runtimes.ts';
import type { World } from './world.ts';

const examples = join(import.meta.dirname, '../../../examples');

/** Writes a program where its library is found. */
function place(folder: string, { file, text }: FirstProgram, ...names: readonly string[]): void {
  const path = join(folder, ...names, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const node: Runtime = async (file) => ({ command: [process.execPath, file] });

type Prepare = (program: FirstProgram) => { readonly runtime: Runtime; readonly name: string };

const prepareBy: Readonly<Record<string, Prepare>> = {
  'first-call.mjs': (program) => {
    // Below this project, where openid-client is installed.
    const folder = cacheFolder('first-programs', 'node');
    place(folder, program);
    return { runtime: node, name: join(folder, program.file) };
  },
  'first_call.py': (program) => {
    const folder = cacheFolder('first-programs', 'python');
    cpSync(join(examples, 'python/requirements.txt'), join(folder, 'requirements.txt'));
    place(folder, program);
    return { runtime: pythonRuntime(folder), name: 'first_call' };
  },
  'main.go': (program) => {
    const folder = cacheFolder('first-programs', 'go-module');
    for (const file of ['go.mod', 'go.sum']) cpSync(join(examples, 'go', file), join(folder, file));
    place(folder, program, 'first-call');
    return { runtime: goRuntime(folder, 'first-programs'), name: 'first-call' };
  },
};

/** The programs that a client's page in the portal shows, for the client of a local run. */
export function programsOfPage({ issuer, clientId }: LocalRun): readonly FirstProgram[] {
  return firstPrograms({ issuer, clientId, scopes: ['messaging:view', 'messaging:manage'] });
}

/** Makes a program of a client's page ready to start. */
export async function prepareProgram(
  program: FirstProgram,
  trust: World['trust'],
): Promise<{ readonly command: Command } | Missing> {
  const prepare = prepareBy[program.file];
  if (prepare === undefined) throw new Error(`there is no runtime for ${program.file}`);
  const { runtime, name } = prepare(program);
  return runtime(name, trust);
}

/** Runs a program of a client's page as the page says. @throws {Error} unless the call is accepted. */
export async function checkProgram(
  command: Command,
  service: LocalRun,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { clientSecret, exampleUrl } = service;
  const { code, output } = await runCommand(command, {
    environment: { ...environment, CLIENT_SECRET: clientSecret, API_URL: exampleUrl },
  });
  assert.equal(code, 0, output);
  assert.match(output, /^200 /m, output);
}
