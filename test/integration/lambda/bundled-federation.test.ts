import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { settingsVariables } from '../../../contract/read-settings.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { lambdaBuildOptions } from '../../../lab/build/main.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { goodAuthorization } from '../../support/token-world.ts';

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

/** DynamoDB with one client, and no signing keys. */
async function startTables() {
  const Item = marshall(toClientItem(makeClient()), { removeUndefinedValues: true });
  const server = createServer((request, response) => {
    const isGet = String(request.headers['x-amz-target']).endsWith('GetItem');
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(isGet ? { Item } : { Items: [], Count: 0, ScannedCount: 0 }));
  });
  afterAll(() => void server.close());
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}

function eventOf(
  authorization: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  return proxyEvent({
    method: 'POST',
    path: tokenPath,
    receivedAt: Date.now(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(authorization !== '' && { Authorization: authorization }),
      ...headers,
    },
    body: new URLSearchParams(form).toString(),
  });
}

it('the deployed bundle loads its other files for the first assertion and proof, and not before', async () => {
  const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const events = [
    eventOf('Basic x', { grant_type: 'client_credentials' }),
    eventOf(goodAuthorization, { grant_type: 'client_credentials' }),
    eventOf(goodAuthorization, { grant_type: 'client_credentials' }, { DPoP: 'x' }),
    eventOf('', { grant_type: jwtBearer, assertion: 'a.b.c' }),
  ];
  const federation = {
    identityProvidersTable: 'idp',
    tokenEndpoints: [],
    maxAge: 3600,
    ownProviders: false,
  };
  const { stderr } = await run(
    process.execPath,
    [join(folder.path, 'run.js'), JSON.stringify(events), JSON.stringify(lambdaContext())],
    {
      env: {
        ...settingsVariables({
          ...tokenEnvironment,
          federatedClients: federation,
          dpop: { audiences: { 'https://api.example.com': 'allowed' }, tokenEndpoints: [] },
        }),
        AWS_REGION: 'us-west-2',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
        AWS_ENDPOINT_URL_DYNAMODB: await startTables(),
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
      503,
      '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
      ['token/index.js'],
    ],
    [
      400,
      '{"error":"invalid_dpop_proof","error_description":"the DPoP proof is not valid: form"}',
      ['token/index.js', 'token/proofs.js'],
    ],
    [
      400,
      '{"error":"invalid_grant","error_description":"the assertion is not accepted"}',
      ['token/federated.js', 'token/index.js', 'token/proofs.js'],
    ],
  ]);
});
