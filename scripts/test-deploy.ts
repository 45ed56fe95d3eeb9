import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { callDeployed } from './emulator/deployed-api.ts';
import { leaveOut, type Template } from './emulator/leave-out.ts';
import { installMiniStack, startMiniStack } from './emulator/ministack.ts';

/*
 * Deploys the single-region example with the real `cdk deploy` to MiniStack, an emulator of AWS,
 * and gets a token from what was deployed. What the emulator lacks is left out of the templates,
 * see emulator/leave-out.ts; everything else is what AWS would get.
 */

const root = resolve(import.meta.dirname, '..');
const config = join(root, 'config/single-region.json');
const audience = (JSON.parse(readFileSync(config, 'utf8')) as { defaultAudience: string })
  .defaultAudience;
const stackName = 'AuthorizationServer-slc';
const awsRegion = 'us-west-2';

interface Outputs {
  readonly Issuer: string;
  readonly TokenUrl: string;
  readonly JwksUri: string;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Synthesises to a folder and takes out what the emulator lacks. */
function synthesise(directory: string): void {
  cdk(process.env, 'synth', '--quiet', '-c', `config=${config}`, '-o', directory);
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.template.json'))) {
    const path = join(directory, name);
    const template = JSON.parse(readFileSync(path, 'utf8')) as Template;
    writeFileSync(path, JSON.stringify(leaveOut(template)));
  }
}

/** Runs the CDK quietly; what it said is shown where it fails. */
function cdk(env: NodeJS.ProcessEnv, ...args: readonly string[]): void {
  const command = join(root, 'node_modules/.bin/cdk');
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`cdk ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
}

/** @param env where AWS is, for the CDK and for authctl alike. */
function deploy(assembly: string, env: NodeJS.ProcessEnv): Outputs {
  const outputs = join(assembly, 'outputs.json');
  cdk(env, 'bootstrap', `aws://000000000000/${awsRegion}`);
  const quiet = ['--require-approval', 'never', '--progress', 'events'];
  cdk(env, 'deploy', stackName, '--app', assembly, '--outputs-file', outputs, ...quiet);
  const all = JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, Outputs>;
  return all[stackName] as Outputs;
}

function authctl(env: NodeJS.ProcessEnv, ...args: readonly string[]): Record<string, unknown> {
  const command = [join(root, 'cli/authctl.ts'), '--config', config, ...args, '--json'];
  return JSON.parse(execFileSync(process.execPath, command, { env, encoding: 'utf8' })) as Record<
    string,
    unknown
  >;
}

/** Makes a client in the deployed tables; its credentials as Basic wants them. */
function createCredentials(env: NodeJS.ProcessEnv): string {
  const scope = ['--trunk-group', 'test', '--scope', 'messaging:view'];
  const client = authctl(env, 'client', 'create', '--name', 'deployment test', ...scope);
  const id = String(client['client_id']);
  const secret = authctl(env, 'client-secret', 'create', id);
  return Buffer.from(`${id}:${String(secret['client_secret'])}`).toString('base64');
}

async function proveToken(port: number, outputs: Outputs, credentials: string): Promise<void> {
  const answer = await callDeployed(port, {
    method: 'POST',
    url: outputs.TokenUrl,
    headers: {
      Authorization: `Basic ${credentials}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { access_token } = answer.body as { access_token: string };
  const jwks = await callDeployed(port, { method: 'GET', url: outputs.JwksUri });
  const { payload } = await jwtVerify(access_token, createLocalJWKSet(jwks.body as JSONWebKeySet), {
    typ: 'at+jwt',
    algorithms: ['RS256'],
    issuer: outputs.Issuer,
    audience,
  });
  assert.equal(payload['scope'], 'messaging:view');
  say('a token of the deployed API verifies through its JWKS');
}

async function proveRoutes(port: number, { Issuer, TokenUrl }: Outputs): Promise<void> {
  const health = await callDeployed(port, { method: 'GET', url: `${Issuer}/health` });
  assert.deepEqual(health, { status: 200, body: { status: 'ok' } });
  const metadata = await callDeployed(port, {
    method: 'GET',
    url: `${Issuer}/.well-known/openid-configuration`,
  });
  assert.equal((metadata.body as { issuer: string }).issuer, Issuer);
  const wrongMethod = await callDeployed(port, { method: 'GET', url: TokenUrl });
  assert.equal(wrongMethod.status, 405);
  say('health, discovery and a wrong method answer as they should');
}

async function main(work: string): Promise<void> {
  const python = join(work, 'python');
  if (!installMiniStack(python)) {
    say("SKIPPED: MiniStack cannot be installed with Python's pip");
    return;
  }
  const assembly = join(work, 'cdk.out');
  synthesise(assembly);
  const emulator = await startMiniStack(python, root);
  try {
    const env = {
      PATH: process.env['PATH'],
      // A home of its own keeps the CLI's cache of accounts apart.
      HOME: work,
      AWS_ENDPOINT_URL: emulator.endpoint,
      AWS_REGION: awsRegion,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    const outputs = deploy(assembly, env);
    say(`deployed ${outputs.Issuer}`);
    await proveRoutes(emulator.port, outputs);
    await proveToken(emulator.port, outputs, createCredentials(env));
  } finally {
    await emulator.stop();
  }
}

const work = mkdtempSync(join(tmpdir(), 'test-deploy-'));
try {
  await main(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
