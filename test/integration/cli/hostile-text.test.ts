import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { tableName } from '../../../contract/tables.ts';
import { clientIdOf, makeClient } from '../../../lab/support/clients.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import { controlCharacters } from '../../support/control-characters.ts';
import { type CliRun, useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

/** Clears the screen, sets the title, rings, and turns what follows around. */
const attack = '\nforged line \r\u001b[2J\u001b]0;title\u0007\u009b31m\u202e';
let provider: LoopbackProvider;

beforeAll(async () => {
  const dynamodb = createDynamoDbClient(service().aws);
  // As a colleague's script, or a version before this one, may have written them.
  await createDynamoDbClientStore(dynamodb, tableName('local', 'clients'), {
    consistentRead: true,
  }).create(makeClient({ name: `Billing${attack}` }));
  await createDynamoDbAuditLog(dynamodb, tableName('local', 'audit'), {
    consistentRead: true,
  }).appendAudit({
    time: new Date().toISOString(),
    recordId: randomUUID(),
    actor: `arn:aws:iam::000000000000:user/${attack}`,
    action: 'client.create',
    subject: clientIdOf(1),
    outcome: 'done',
  });
  dynamodb.destroy();
  provider = await startLoopbackProvider();
});
afterAll(() => provider.close());

function expectHarmless({ stdout, stderr }: CliRun): void {
  expect(stdout).not.toMatch(controlCharacters);
  expect(stderr).not.toMatch(controlCharacters);
  expect(stdout + stderr).not.toMatch(/^forged line/m);
}

function foreignToken(claims: Readonly<Record<string, unknown>>): string {
  const now = Math.floor(Date.now() / 1000);
  return signToken(provider.key, {
    iss: `https://issuer.example/${attack}`,
    client_id: attack,
    aud: attack,
    iat: now,
    exp: now + 300,
    ...claims,
  });
}

describe.each([[[]], [['--json']]])('text from outside, with %j', (form) => {
  it('of a name stays text in lists and in one client', async () => {
    const lists = await authctl(['client', 'list', ...form]);
    expectHarmless(lists);
    expect(lists.stdout).toContain(String.raw`\u001b[2J`);
    expectHarmless(await authctl(['client', 'show', clientIdOf(1), ...form]));
  });

  it('of the audit stays text', async () => {
    const run = await authctl(['audit', 'list', ...form]);
    expectHarmless(run);
    expect(run.stdout).toContain(String.raw`\u001b[2J`);
  });

  it('of a token stays text', async () => {
    const stdin = foreignToken({});
    expectHarmless(await authctl(['explain', 'request', '--bearer-stdin', ...form], { stdin }));
  });

  it('of a discovery document stays text', async () => {
    provider.documents.set('/hostile', {
      issuer: `https://issuer.example/${attack}`,
      jwks_uri: `${provider.issuer}/keys`,
    });
    const url = `${provider.issuer}/hostile`;
    const run = await authctl(['provider', 'register', url, ...form]);
    expect(run.stderr).toContain('issuer.example');
    expectHarmless(run);
  });

  it('of a key id in a JWKS stays text', async () => {
    const { jwk } = provider.key;
    provider.documents.set('/keys', { keys: [jwk, jwk].map((key) => ({ ...key, kid: attack })) });
    const run = await authctl(['provider', 'register', provider.discoveryUrl, ...form]);
    expectHarmless(run);
  });

  it('of the command line stays text', async () => {
    const pasted = attack.trim();
    expectHarmless(await authctl(['signing-key', 'withdraw', pasted, '--yes', ...form]));
    expectHarmless(await authctl(['client', 'show', pasted, ...form]));
  });
});

describe('a value of several lines', () => {
  it('has them below each other, and none that a value brought along', async () => {
    const args = ['--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];
    const { client_id: id } = await json(['client', 'create', ...args, '--scope', 'calls:manage']);
    const { stdout } = await authctl(['client', 'show', String(id)]);
    expect(stdout).toMatch(/^scopes +calls:view\n +calls:manage$/m);
  });
});

describe('--json', () => {
  it('keeps the value', async () => {
    const { items } = await json(['client', 'list']);
    expect(items).toContainEqual(expect.objectContaining({ name: `Billing${attack}` }));
  });
});
