import { cpSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { writeOpenapiJson } from '../../build/release.ts';
import { type Command, missingTool, runCommand } from '../../support/run-command.ts';
import { cacheFolder, type Missing, makePythonEnvironment } from '../../support/runtimes.ts';
import { withLocalService } from '../../support/with-local-service.ts';

const programs = resolve(import.meta.dirname, 'programs');
const docs = resolve(import.meta.dirname, '../../../docs');

/** The description with YAML's aliases, and without. */
const documents = [join(docs, 'openapi.yaml'), writeOpenapiJson(cacheFolder('openapi', 'json'))];

/** Makes a client of a description: the command that gets a token with it. */
type Generator = (document: string) => Promise<Command | Missing>;

/** Runs the commands one after the other. */
async function runAll(cwd: string, tool: string, commands: readonly Command[]) {
  for (const command of commands) {
    const result = await runCommand(command, { cwd });
    if (result.code === undefined) return { missing: missingTool(tool, result) };
    if (result.code !== 0) throw new Error(`${command.join(' ')}:\n${result.output}`);
  }
  return undefined;
}

const oapiCodegen: Generator = async (document) => {
  const folder = cacheFolder('openapi', 'go');
  cpSync(join(programs, 'go'), folder, { recursive: true });
  const generate = ['-generate', 'types,client', '-package', 'main', '-o', 'client.gen.go'];
  const missing = await runAll(folder, 'Go', [
    ['go', 'tool', 'oapi-codegen', ...generate, document],
    ['go', 'build', '-o', 'get-token', '.'],
  ]);
  return missing ?? [join(folder, 'get-token')];
};

const openapiPythonClient: Generator = async (document) => {
  const folder = cacheFolder('openapi', 'python');
  const python = await makePythonEnvironment(['openapi-python-client==0.29.1', 'ruff==0.15.1']);
  if ('missing' in python) return python;
  rmSync(join(folder, 'client'), { recursive: true, force: true });
  const generator = join(python.bin, 'openapi-python-client');
  await runAll(folder, 'Python', [
    [generator, 'generate', '--path', document, '--output-path', 'client'],
  ]);
  cpSync(join(programs, 'get_token.py'), join(folder, 'client/get_token.py'));
  return [join(python.bin, 'python'), join(folder, 'client/get_token.py')];
};

const generators: Readonly<Record<string, Generator>> = {
  'oapi-codegen (Go)': oapiCodegen,
  'openapi-python-client': openapiPythonClient,
};

/**
 * Generates clients of the API's description, and gets a token with each.
 *
 * @param environment ISSUER, CLIENT_ID and CLIENT_SECRET of a service.
 * @returns whether none failed. What is not on the machine is skipped, and says so.
 */
async function checkGeneratedClients(
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  let passed = true;
  for (const [name, generate] of Object.entries(generators)) {
    for (const document of documents) {
      const title = `${name}, ${basename(document)}`;
      const command = await generate(document);
      if ('missing' in command) {
        process.stdout.write(`SKIPPED: ${title}, for want of ${command.missing}\n`);
        continue;
      }
      const { code, output } = await runCommand(command, { environment });
      const isToken = code === 0 && output.trim() === 'Bearer messaging:view';
      process.stdout.write(
        isToken ? `passed  ${title}: a token\n` : `FAILED  ${title}:\n${output}`,
      );
      passed &&= isToken;
    }
  }
  return passed;
}

const version = 'schemathesis==4.32.5';

/** Seconds: enough for two thousand requests, short enough to run with every change. */
const fuzzingTime = 20;

const excludedChecks = [
  // A valid form is not all that it takes: the scope must be the client's and the resource one of
  // its audiences, which no schema can say.
  'positive_data_acceptance',
  // TRACE is no method of API Gateway, which says 404. Tests of ours ask with the others.
  'unsupported_method',
];

const python = await makePythonEnvironment([version]);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: the API is not fuzzed, for want of ${python.missing}\n`);
} else {
  const result = await withLocalService({}, ({ issuer, clientId, clientSecret, paths }) =>
    runCommand(
      [
        join(python.bin, 'schemathesis'),
        'run',
        join(docs, 'openapi.yaml'),
        `--url=${issuer}`,
        `--auth=${clientId}:${clientSecret}`,
        `--exclude-checks=${excludedChecks.join(',')}`,
        `--max-time=${fuzzingTime}`,
        '--warnings=off',
        '--no-color',
        ...process.argv.slice(2),
      ],
      // What it notes down goes with the state.
      { cwd: paths.directory },
    ),
  );
  process.stdout.write(result.output);
  process.exitCode = result.code ?? 1;
}

const generated = await withLocalService({}, ({ issuer, clientId, clientSecret }) =>
  checkGeneratedClients({ ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }),
);
if (!generated) process.exitCode = 1;
