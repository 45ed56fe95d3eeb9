import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { basic } from '../../../../lab/support/token-request.ts';
import {
  type Environment,
  sourceDemoEnvironment,
  spawnLocal,
  started,
  stop,
} from './spawned-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

function writeScript(folder: string, script: object): string {
  const path = join(folder, 'script.json');
  writeFileSync(path, JSON.stringify(script));
  return path;
}

function requestToken({ TOKEN_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' }: Environment) {
  return fetch(TOKEN_URL, {
    method: 'POST',
    headers: { authorization: basic(CLIENT_ID, CLIENT_SECRET) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
}

async function startWith(script: object): Promise<Environment> {
  const folder = temporaryDirectory();
  const state = join(folder, 'state');
  const path = writeScript(folder, script);
  const run = spawnLocal(['--state', state, '--faults', path]);
  onTestFinished(() => stop(run));
  await started(run);
  await expect
    .poll(() => run.output())
    .toContain(`Faults are on: DynamoDB, KMS and the clock fail as ${path} says (1 rule).`);
  return sourceDemoEnvironment(state);
}

const kmsIsDown = {
  service: 'kms',
  operation: 'Sign',
  fault: 'error',
  code: 'DisabledException',
};

it('npm start -- --faults plays a script when the service has started', async () => {
  const environment = await startWith({ rules: [kmsIsDown] });
  const broken = await requestToken(environment);
  expect(broken.status).toBe(503);
  expect(await broken.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await fetch(environment['JWKS_URI'] ?? '')).status).toBe(200);
});

it('npm start -- --faults heals when the script says', async () => {
  // A slow machine may only see the time after it.
  const environment = await startWith({ rules: [{ ...kmsIsDown, until: 1 }] });
  const status = async () => (await requestToken(environment)).status;
  await expect.poll(status, { interval: 200 }).toBe(200);
});

it.each([
  [
    'a mistake',
    { rules: [{ service: 's3', fault: 'reset' }] },
    'cannot be used:\n  rules.0.service: received "s3"; expected ("dynamodb" | "kms")',
  ],
  [
    'a misspelt operation',
    { rules: [{ service: 'dynamodb', operation: 'getItem', fault: 'reset' }] },
    'cannot be used:\n  rules.0.operation: received "getItem"; allowed for dynamodb: CreateTable, ',
  ],
  [
    'a misspelt table',
    { rules: [{ service: 'dynamodb', table: 'client', fault: 'reset' }] },
    'cannot be used:\n  rules.0.table: received "client"; allowed: clients, api-keys, ',
  ],
  [
    'a value that a terminal would obey',
    { rules: [{ service: 'dynamodb', table: '\u009b2J', fault: 'reset' }] },
    'cannot be used:\n  rules.0.table: received "\\u009b2J"; allowed: clients, ',
  ],
  [
    "a code that is not the service's",
    { rules: [{ service: 'kms', fault: 'error', code: 'ProvisionedThroughputExceededException' }] },
    'cannot be used:\n  rules.0.code: received "ProvisionedThroughputExceededException"; allowed for kms: ',
  ],
])('a script with %s is refused before anything starts', async (_, script, message) => {
  const folder = temporaryDirectory();
  const path = writeScript(folder, script);
  const run = spawnLocal(['--state', join(folder, 'state'), '--faults', path]);
  onTestFinished(() => stop(run));
  expect(await run.ended).toBe(1);
  expect(run.errors()).toContain(`npm start: ${path} ${message}`);
  expect(run.output()).toBe('');
});
