import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { managementDigest } from '../../../core/audit/request-digest.ts';
import { localUserArn } from '../../../lab/emulator/sts-server.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl: run, json: runJson, requestToken, service } = useLocalCli();
const env = { AUTHCTL_THROUGH: 'function' };
const authctl: typeof run = (args, input) => run(args, { env, ...input });
const json: typeof runJson = (args, input) => runJson(args, { env, ...input });

async function createClient(...more: readonly string[]): Promise<string> {
  const args = ['client', 'create', '--name', 'Billing', '--trunk-group', 'tg-1001'];
  const created = await json([...args, '--scope', 'messaging:view', ...more]);
  return String(created['client_id']);
}

describe('authctl through the management function', () => {
  it('creates a client with a secret that gets a token, and deletes it', async () => {
    const id = await createClient();
    const secret = await json(['client-secret', 'create', id, '--name', 'blue']);
    const granted = await requestToken(id, String(secret['client_secret']));
    expect(granted.status).toBe(200);
    await json(['client-secret', 'rotate', id, '--expire-old-in', '0s', '--yes']);
    expect((await requestToken(id, String(secret['client_secret']))).status).toBe(401);
    await json(['client', 'delete', id, '--yes']);
    const shown = await authctl(['client', 'show', id]);
    expect(shown).toMatchObject({ exitCode: 1, stderr: `authctl: there is no client "${id}"\n` });
  });

  it('is named in the audit as AWS names it, in the file of the caller too', async () => {
    const folder = makeTemporaryDirectory();
    const file = join(folder.path, 'audit.jsonl');
    const id = await createClient();
    await authctl(['client', 'disable', id], { env: { ...env, AUTHCTL_AUDIT_FILE: file } });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    folder.remove();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { actor: localUserArn(), action: 'client.disable', subject: id, outcome: 'intended' },
      { actor: localUserArn(), action: 'client.disable', subject: id, outcome: 'done' },
    ]);
  });

  it.each([
    [['client', 'show', 'x'], 2, 'client_id: received "x"; allowed: client_ and 22 letters'],
    [['client', 'list', '--trunk-group', 'a b'], 2, '--trunk-group: received "a b"; allowed:'],
    [['provider', 'show', 'https://idp.example.net'], 1, 'there is no'],
    [['client', 'list', '--through', 'tunnel'], 2, '--through: received "tunnel"; allowed:'],
  ])('%j is refused as on the tables', async (args, exitCode, text) => {
    const refused = await authctl(args);
    expect(refused).toMatchObject({ exitCode, stderr: expect.stringContaining(text) });
    expect(await run(args)).toEqual(refused);
  });

  it('changes a client only if it has the version that the caller saw', async () => {
    const id = await createClient();
    const { version } = await json(['client', 'show', id]);
    await json(['client', 'update', id, '--name', 'A', '--if-version', String(version)]);
    const late = await authctl([
      'client',
      'update',
      id,
      '--name',
      'B',
      '--if-version',
      String(version),
    ]);
    expect(late).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('was changed') });
    expect(await json(['client', 'show', id])).toMatchObject({ name: 'A' });
  });

  it('sees what its trunk group has', async () => {
    const id = await createClient('--only-trunk-group', 'tg-1001');
    const own = await json(['client', 'list', '--only-trunk-group', 'tg-1001']);
    const others = await json(['client', 'list', '--only-trunk-group', 'tg-2002']);
    expect(JSON.stringify(own)).toContain(id);
    expect(others).toEqual({ items: [] });
  });
});

describe('the Lambda API of the local run', () => {
  const arn = 'arn:aws:lambda:us-west-2:000000000000:function:local-management';
  const request = JSON.stringify({ operation: 'listClients', input: {} });

  /** Invokes the function without the library, with a signature for `signedArn`. */
  async function invoke(invoked: string, signedArn = invoked, more: object = {}) {
    const { aws } = service();
    const environment = { AWS_ENDPOINT_URL_STS: aws.endpointSts };
    const prove = createCallerProof(aws.credentials, environment);
    const caller_proof = await prove('us-west-2', managementDigest(signedArn, request));
    const call = createInvokeFunction(createLambdaClient(aws));
    return call(invoked, { request, caller_proof, ...more });
  }

  const refused = (error: object) => ({ outcome: { error: expect.objectContaining(error) } });

  it('answers an alias that is asked with a proof for it', async () => {
    expect(await invoke(`${arn}:auditor`)).toMatchObject({ outcome: { result: {} } });
  });

  it.each([
    ['no alias', () => invoke(arn), { class: 'AwsCallerError' }],
    ['$LATEST', () => invoke(`${arn}:$LATEST`), { class: 'AwsCallerError' }],
    [
      'a proof for another alias',
      () => invoke(`${arn}:administrator`, `${arn}:auditor`),
      { class: 'AwsCallerError' },
    ],
    [
      'an event that names its alias',
      () => invoke(`${arn}:auditor`, undefined, { alias: 'administrator' }),
      { class: 'InputError' },
    ],
    [
      'megabytes',
      () => invoke(`${arn}:auditor`, undefined, { request: 'x'.repeat(5_000_000) }),
      { class: 'InputError' },
    ],
  ])('refuses %s', async (_, ask, error) => {
    expect(await ask()).toMatchObject(refused(error));
  });

  it('takes no event that is larger than Lambda’s', async () => {
    const large = invoke(`${arn}:auditor`, undefined, { request: 'x'.repeat(7_000_000) });
    await expect(large).rejects.toThrow('longer than 6291456 bytes');
  });
});
