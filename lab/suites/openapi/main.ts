import { join, resolve } from 'node:path';
import { runCommand } from '../../support/run-command.ts';
import { makePythonEnvironment } from '../../support/runtimes.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { checkGeneratedClients } from './generated-clients.ts';

const openapi = resolve(import.meta.dirname, '../../../docs/openapi.yaml');
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
        openapi,
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
