import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenPath } from '../../../contract/routes.ts';
import { lambdaBuildOptions } from '../../../lab/build/main.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';

const folder = makeTemporaryDirectory();
const run = promisify(execFile);

/** Answers each event, then says which files of the folder are loaded. */
const program = `
const { handler } = require('./token/index.js');
const events = JSON.parse(process.argv[2]);
const context = JSON.parse(process.argv[3]);
(async () => {
  const seen = [];
  for (const event of events) {
    const { statusCode, body } = await handler({ ...event, requestContext: { ...event.requestContext, requestTimeEpoch: Date.now() } }, context);
    const loaded = Object.keys(require.cache).map((path) => path.slice(__dirname.length + 1));
    seen.push([statusCode, body, loaded.filter((path) => path.startsWith('token/')).sort()]);
  }
  process.stderr.write(JSON.stringify(seen));
  process.exit(0);
})();`;

beforeAll(() => {
  buildSync({ ...lambdaBuildOptions(['token'], folder.path), sourcemap: false });
  writeFileSync(join(folder.path, 'package.json'), '{"type":"commonjs"}');
  writeFileSync(join(folder.path, 'run.js'), program);
});

afterAll(() => folder.remove());

function eventOf(authorization: string, form: Readonly<Record<string, string>>) {
  return proxyEvent({
    method: 'POST',
    path: tokenPath,
    receivedAt: Date.now(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(authorization !== '' && { Authorization: authorization }),
    },
    body: new URLSearchParams(form).toString(),
  });
}

it('the deployed bundle loads its second file for the first assertion, and not before', async () => {
  const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const events = [
    eventOf('Basic x', { grant_type: 'client_credentials' }),
    eventOf('', { grant_type: jwtBearer, assertion: 'a.b.c' }),
  ];
  const federation = {
    identityProvidersTable: 'idp',
    tokenEndpoints: [],
    maxAge: 3600,
    ownProviders: false,
  };
  const variables = Object.entries(tokenEnvironment).map(([name, value]) => [name, String(value)]);
  const { stderr } = await run(
    process.execPath,
    [join(folder.path, 'run.js'), JSON.stringify(events), JSON.stringify(lambdaContext())],
    {
      env: {
        ...(Object.fromEntries(variables) as Record<string, string>),
        AUTH_FEDERATED_CLIENTS: JSON.stringify(federation),
        AWS_REGION: 'us-west-2',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
        AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:9',
      },
    },
  );
  expect(JSON.parse(stderr)).toEqual([
    [
      401,
      '{"error":"invalid_client","error_description":"client authentication failed"}',
      ['token/index.js'],
    ],
    [
      400,
      '{"error":"invalid_grant","error_description":"the assertion is not accepted"}',
      ['token/federated.js', 'token/index.js'],
    ],
  ]);
});
