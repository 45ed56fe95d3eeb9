import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { requestToken } from '../../../../lab/support/token-request.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import {
  type Environment,
  sourceDemoEnvironment,
  spawnLocal,
  started,
  stop,
} from './spawned-run.ts';

function writeScript(folder: string, script: object): string {
  const path = join(folder, 'script.json');
  writeFileSync(path, JSON.stringify(script));
  return path;
}

const askToken = ({ TOKEN_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' }: Environment) =>
  requestToken(TOKEN_URL, { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });

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

const kmsIsDown = { service: 'kms', operation: 'Sign', fault: 'error', code: 'DisabledException' };

it('npm start -- --faults plays a script when the service has started', async () => {
  const environment = await startWith({ rules: [kmsIsDown] });
  const broken = await askToken(environment);
  expect(broken.status).toBe(503);
  expect(await broken.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await fetch(environment['JWKS_URI'] ?? '')).status).toBe(200);
});

it.each([
  [
    'a mistake',
    { rules: [{ service: 's3', fault: 'reset' }] },
    'cannot be used:\n  rules.0.service: received "s3"; expected ("dynamodb" | "kms")',
  ],
  [
    'a value that a terminal would obey',
    { rules: [{ service: 'dynamodb', table: '\u009b2J', fault: 'reset' }] },
    'cannot be used:\n  rules.0.table: received "\\u009b2J"; allowed: clients, ',
  ],
])('a script with %s is refused before anything starts', async (_, script, message) => {
  const folder = temporaryDirectory();
  const path = writeScript(folder, script);
  const run = spawnLocal(['--state', join(folder, 'state'), '--faults', path]);
  onTestFinished(() => stop(run));
  expect(await run.ended).toBe(1);
  expect(run.errors()).toContain(`npm start: ${path} ${message}`);
  expect(run.output()).not.toContain('http');
});
