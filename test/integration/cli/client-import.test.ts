import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importClients } from '../../../cli/commands/client-import.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { importedClient } from '../../../contract/management/inputs.ts';
import { RefusedError, UnavailableError, VersionConflictError } from '../../../core/errors.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from './use-authctl.ts';

const scope = 'https://api.example.com/messages.read';
const deploymentConfig = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [
    { service: 'messaging', permission: 'view', description: 'Read', value: scope },
    { service: 'calls', permission: 'view', description: 'Read calls' },
  ],
  clientImport: {},
};
const { service, authctl, json, requestToken } = useLocalCli({ config: deploymentConfig });
const folder = makeTemporaryDirectory();
afterAll(() => folder.remove());

/** As many lower-case letters and digits as Cognito draws for an id and a secret. */
function drawn(seed: string, length: number): string {
  const bytes = createHash('shake256', { outputLength: length }).update(seed).digest();
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('');
}

const app = (index: number) => ({
  UserPoolClient: {
    UserPoolId: 'us-west-2_EXAMPLE',
    ClientName: `App ${index}`,
    ClientId: drawn(`id ${index}`, 26),
    ClientSecret: drawn(`secret ${index}`, 51),
    LastModifiedDate: '2024-05-01T10:00:00.000000+00:00',
    RefreshTokenValidity: 30,
    AccessTokenValidity: 15,
    TokenValidityUnits: { AccessToken: 'minutes' },
    AllowedOAuthFlows: ['client_credentials'],
    AllowedOAuthScopes: [scope],
    AllowedOAuthFlowsUserPoolClient: true,
  },
});

let files = 0;
function write(text: string | Uint8Array): string {
  files += 1;
  const path = join(folder.path, `${files}.json`);
  writeFileSync(path, text);
  return path;
}

type Done = {
  readonly client_id?: string;
  readonly outcome: string;
  readonly import_id?: string;
  readonly problem?: string;
};

async function imported(...words: readonly string[]): Promise<readonly Done[]> {
  const { stdout, stderr } = await authctl(['client', 'import', ...words, '--json', '--yes']);
  expect(stderr.replace(/^Next: .*\n$/, '')).toBe('');
  return (JSON.parse(stdout) as { readonly items: readonly Done[] }).items;
}

const outcomes = (items: readonly Done[]) => [...new Set(items.map(({ outcome }) => outcome))];
const group = ['--trunk-group', 'tg-7'];

describe('50 clients of Cognito', () => {
  const apps = Array.from({ length: 50 }, (_, index) => app(index));
  const toText = (some: typeof apps) =>
    some.map((one) => `${JSON.stringify(one, undefined, 4)}\n`).join('');
  const [file, few] = [write(toText(apps)), write(toText(apps.slice(0, 5)))];
  const ask = ({ UserPoolClient: { ClientId, ClientSecret } }: ReturnType<typeof app>) =>
    requestToken(ClientId, ClientSecret, { client_id: ClientId, scope });
  const askAll = async () => {
    const statuses = await Promise.all(apps.map(async (one) => (await ask(one)).status));
    return [...new Set(statuses)];
  };

  it('get tokens for the requests of before, and leave as they came', async () => {
    const check = [...group, '--check'];
    expect(outcomes(await imported('--from', few, ...check))).toEqual(['can be imported']);
    expect((await ask(app(1))).status).toBe(401);
    const made = await imported('--from', file, ...group);
    expect(outcomes(made)).toEqual(['imported']);
    const { import_id: importId = '' } = made[0] ?? {};
    expect(outcomes(await imported('--from', few, ...group))).toEqual(['imported before']);
    expect(await askAll()).toEqual([200]);

    const [first = app(0)] = apps;
    const { ClientId: clientId, ClientSecret: secret } = first.UserPoolClient;
    const { body } = await ask(first);
    const { issuer } = service();
    const former = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect([former.status, await former.json()]).toMatchObject([200, { scope, expires_in: 900 }]);
    expect(body).toMatchObject({ scope, expires_in: 900 });
    const { items } = await json(['client', 'list', '--text', clientId]);
    expect(items).toMatchObject([{ client_id: clientId, secrets: [{ imported: true }] }]);
    const [, claims = ''] = String(body['access_token']).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      client_id: clientId,
      sub: clientId,
      scope,
    });
    expect((await requestToken(clientId, secret)).status).toBe(200);
    for (const wrong of [clientId.toUpperCase(), `${clientId} `, `x${clientId}`]) {
      expect((await requestToken(wrong, secret)).status).toBe(401);
    }
    const shown = await authctl(['client', 'show', clientId]);
    expect(shown.stdout).toMatch(new RegExp(`client_id +${clientId}`));
    const explained = await authctl(['explain', 'token', '--client-id', clientId]);
    expect(explained.stdout).toMatch(/\(Imported\): good until [\d-]+T[\d:]+Z, imported/);

    // All got tokens: nothing of it goes unless it is told.
    expect(outcomes(await imported('--undo', importId))).toEqual(['used or changed since']);
    expect(await askAll()).toEqual([200]);
    expect(outcomes(await imported('--undo', importId, '--with-used'))).toEqual(['deleted']);
    expect(await askAll()).toEqual([401]);
    expect(await imported('--undo', importId)).toEqual([]);
  });

  it('stay if the import that repeats them is undone', async () => {
    const pilot = await imported('--from', few, ...group);
    const whole = await imported('--from', file, ...group);
    const results = write(JSON.stringify({ items: whole }));
    expect(whole.map(({ outcome }) => outcome)).toEqual([
      ...pilot.map(() => 'imported before'),
      ...apps.slice(5).map(() => 'imported'),
    ]);
    const undone = await imported('--undo', results);
    expect([undone.length, outcomes(undone)]).toEqual([45, ['deleted']]);
    expect((await ask(app(1))).status).toBe(200);
    expect((await ask(app(9))).status).toBe(401);
    const empty = await authctl(['client', 'import', '--undo', few, '--yes']);
    expect(empty.stderr).toContain('names 0 imports; allowed: the id of an import');
  });
});

it('takes secrets of the customer\'s own with a "+", as they are and form-encoded', async () => {
  const secret = `+${drawn('plus', 11)}+${drawn('more', 11)}+`;
  const { UserPoolClient: client } = app(800);
  const file = write(JSON.stringify({ UserPoolClient: { ...client, ClientSecret: secret } }));
  expect(outcomes(await imported('--from', file, ...group))).toEqual(['imported']);
  for (const [sent, status] of [
    [secret, 200],
    [encodeURIComponent(secret), 200],
    [secret.replaceAll('+', '%20'), 401],
    [secret.slice(0, -1), 401],
  ] as const) {
    expect([sent, (await requestToken(client.ClientId, sent)).status]).toEqual([sent, status]);
  }
});

it('adds by hand the second secret of a client that Cognito did not list', async () => {
  const second = drawn('a secret that no one lists', 51);
  const { ClientId: clientId, ClientSecret: first } = app(801).UserPoolClient;
  const send = async (more: object) =>
    imported('--from', write(JSON.stringify({ ...app(801), ...more })), ...group);
  expect(outcomes(await send({}))).toEqual(['imported']);
  expect(await send({ second_secret: second })).toEqual([
    { client_id: clientId, outcome: 'secret added' },
  ]);
  for (const secret of [first, second]) {
    expect((await requestToken(clientId, secret)).status).toBe(200);
  }
  const shared = [801, 802].map((id) => JSON.stringify({ ...app(id), second_secret: second }));
  const refused = await imported('--from', write(shared.join('\n')), ...group);
  expect(refused.map(({ problem }) => problem)).toEqual(
    refused.map(() => expect.stringContaining('have the same secret') as string),
  );
});

describe('a file that cannot be imported as it is', () => {
  const plain = {
    client_id: 'keycloak-erp',
    secret: drawn('keycloak', 32),
    name: 'ERP',
    service_trunk_group: 'tg-7',
    scopes: ['calls:view'],
  };
  const line = JSON.stringify(plain);

  it('is sent not at all if one of 100,000 lines is broken, and its secrets are not shown', async () => {
    const sizes = [100_000, 3, 3, 3];
    const wrong = [line.slice(0, -9), 'x', '[]', line.replace('{', '{"name":"B",')];
    for (const [index, broken] of wrong.entries()) {
      const lines = Array.from({ length: sizes[index] ?? 0 }, () => line);
      lines[lines.length - 2] = broken;
      const file = write(lines.join('\n'));
      const { exitCode, stderr } = await authctl(['client', 'import', '--from', file]);
      expect([exitCode, stderr]).toEqual([
        2,
        `authctl: line ${lines.length - 1}: allowed: an object of JSON, each member once; nothing was sent\n`,
      ]);
    }
    // Not a token request: the reading has kept this process, and with it the server, busy.
    const list = await json(['client', 'list', '--text', plain.client_id]);
    expect(list).toMatchObject({ items: [] });
  });

  const ofCognito = app(900).UserPoolClient;
  it.each([
    [
      { UserPoolClient: { ...ofCognito, AllowedOAuthFlows: ['code'] } },
      'AllowedOAuthFlows is ["code"]',
    ],
    [
      { UserPoolClient: { ...ofCognito, AllowedOAuthFlows: undefined } },
      'AllowedOAuthFlows is absent',
    ],
    [
      { UserPoolClient: { ...ofCognito, AllowedOAuthFlowsUserPoolClient: false } },
      'AllowedOAuthFlowsUserPoolClient is false',
    ],
    [
      { UserPoolClient: { ...ofCognito, AllowedOAuthFlowsUserPoolClient: undefined } },
      'AllowedOAuthFlowsUserPoolClient is absent',
    ],
    [{ UserPoolClient: { ...ofCognito, ClientSecret: undefined } }, 'ClientSecret is absent'],
    [{ UserPoolClient: ofCognito, enabled: false }, 'enabled is false'],
    [{ ...plain, client_id: 'stopped-1', enabled: 'no' }, 'enabled is "no"'],
    [
      { ...plain, client_id: 'stopped-2', grant_types: ['password'] },
      'grant_types is ["password"]',
    ],
    [{ ...plain, client_id: 'stopped-3', secret: undefined }, 'secret is absent'],
    [{ ...plain, client_id: 'stopped-4', expires_at: '2024-01-01' }, '2024-01-01T23:59:59Z'],
    [{ ...plain, client_id: 'stopped-5', expires_at: 1_700_000_000 }, '2023-11-14T22:13:20Z'],
  ])('starts nothing that the other provider has stopped: %j', async (entry, reason) => {
    const from = ['client', 'import', '--from', write(JSON.stringify(entry)), ...group, '--json'];
    const run = await authctl(from);
    const problem = reason.startsWith('20')
      ? `expires_at: received "${reason}"; allowed: a time in the future`
      : `no token there: ${reason}`;
    expect([run.exitCode, JSON.parse(run.stdout)]).toMatchObject([
      1,
      { items: [{ outcome: 'refused', problem }] },
    ]);
  });

  it.each([
    ['UTF-16 of PowerShell', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-8 with its mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ])('is read in %s, and its secret ends no later than there', async (name, encode) => {
    const client_id = `encoded-${Buffer.from(name).toString('hex')}`.slice(0, 60);
    const secret = drawn(name, 32);
    const entry = { ...plain, client_id, secret, name: `Größe ${name}`, enabled: true };
    const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const text = JSON.stringify({ ...entry, grant_types: ['client_credentials'], expires_at: day });
    expect(outcomes(await imported('--from', write(encode(`${text}\r\n`))))).toEqual(['imported']);
    const { items } = await json(['client', 'list', '--text', client_id]);
    expect(items).toMatchObject([
      { name: `Größe ${name}`, secrets: [{ expires_at: `${day}T23:59:59Z` }] },
    ]);
  });

  it('is imported as far as it can be, and says of the rest why it is not', async () => {
    const file = write(
      [
        plain,
        { ...plain, secret: drawn('other', 32) },
        { ...plain, client_id: 'keycloak-two', secret: drawn('two', 32), scope: 'calls:view' },
        ...['Keycloak-erp', 'keycloak-erp '].map((client_id) => ({
          ...plain,
          client_id,
          secret: drawn('twin', 32),
        })),
        { ...plain, client_id: 'client_keycloak', secret: 'p'.repeat(40), scopes: ['a:b'] },
      ]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    const run = await authctl(['client', 'import', '--from', file, '--json']);
    expect(run.exitCode).toBe(1);
    const { items } = JSON.parse(run.stdout) as { readonly items: readonly Done[] };
    const allowed = 'allowed: 24 to 256 random characters of printable ASCII without space and "%"';
    expect(items.map(({ outcome, problem }) => problem ?? outcome)).toEqual([
      'imported',
      'the client "keycloak-erp" was imported before, with another secret or other values',
      `scope: unknown field; allowed: ${importedClient.fields.join(', ')}; did you mean scopes?`,
      '"Keycloak-erp" and "keycloak-erp " have the same secret',
      '"keycloak-erp " and "Keycloak-erp" have the same secret',
      `client_id: received "client_keycloak"; allowed: 3 to 256 printable ASCII characters without space, "%", "+" and ":", and not "client_", "key_" or the like first\nsecret: received one with fewer than 8 different characters; ${allowed}\nscope: received "a:b"; allowed: ${scope}, calls:view`,
    ]);
    expect(run.stdout).not.toMatch(new RegExp(`pppp|${drawn('twin', 32)}`));
    const twins = ['Twin-a', 'twin-b'].map((client_id) =>
      write(JSON.stringify({ ...plain, client_id, secret: drawn('twin', 32) })),
    );
    const apart = await authctl(
      ['client', 'import', '--json'].concat(twins.flatMap((one) => ['--from', one])),
    );
    expect(
      (JSON.parse(apart.stdout) as { readonly items: readonly Done[] }).items.map(
        ({ problem }) => problem,
      ),
    ).toEqual([
      `"Twin-a" and "twin-b" of ${twins[1]} have the same secret`,
      `"twin-b" and "Twin-a" of ${twins[0]} have the same secret`,
    ]);
    const absent = await authctl(['client', 'import', '--from', 'no.json']);
    expect(absent.stderr).toBe('authctl: no.json cannot be read: ENOENT\n');
    const stdin = await authctl(['client', 'import', '--json'], { stdin: `${line}\n` });
    expect(JSON.parse(stdin.stdout)).toMatchObject({ items: [{ outcome: 'imported before' }] });
  });

  it.each([{}, { IdToken: 'minutes' }])('has hours in the units %j', async (TokenValidityUnits) => {
    const { UserPoolClient: client } = app(901 + Object.keys(TokenValidityUnits).length);
    const file = write(
      JSON.stringify({
        UserPoolClient: { ...client, AccessTokenValidity: 12, TokenValidityUnits },
      }),
    );
    expect(outcomes(await imported('--from', file, ...group))).toEqual(['imported']);
    const list = await json(['client', 'list', '--text', client.ClientId]);
    expect(list).toMatchObject({ items: [{ token_lifetime: 12 * 3600 }] });
  });

  it('shows what was done if management stops midway', async () => {
    const stop = new UnavailableError('it does not answer');
    const done: Done[] = [];
    const suggested: string[] = [];
    const importClient = ({ clientId, ...client }: { readonly clientId: string }) =>
      clientId === 'second' ? Promise.reject(stop) : Promise.resolve({ existed: false, client });
    const cli = {
      management: { importClient },
      output: { printList: (items: readonly Done[]) => done.push(...items) },
      suggest: (next: string) => suggested.push(next),
    };
    const ids = ['first', 'second', 'third'];
    const from = [write(ids.map((id) => JSON.stringify({ client_id: id, secret: id })).join('\n'))];
    await expect(importClients.run(cli as never, [] as never, { from } as never)).rejects.toBe(
      stop,
    );
    const [first] = done;
    expect(done).toEqual([
      { client_id: 'first', outcome: 'imported', import_id: expect.stringMatching(/^import_/) },
      // It may exist.
      { client_id: 'second', outcome: 'not known', import_id: first?.import_id },
    ]);
    expect(suggested).toEqual([`client import --undo ${first?.import_id}`]);
  });

  it('is undone past clients that stay, and shows what was done if management stops midway', async () => {
    const failures: Readonly<Record<string, Error>> = {
      second: new RefusedError('second is declared by a stack: take it over'),
      third: new VersionConflictError('third', 1, 2),
      fifth: new UnavailableError('it does not answer'),
    };
    const undo = { undo: 'import_07k9abcdefghijklmnopqr', withUsed: false };
    const done: Done[] = [];
    let exit = 0;
    const ids = ['first', 'second', 'third', 'fourth', 'fifth'];
    const clients = ids.map((clientId, index) => ({
      clientId,
      name: `${index}`,
      secrets: [],
      version: 1,
      importId: undo.undo,
      createdAt: 1,
      updatedAt: 1,
    }));
    const cli = {
      management: {
        listClients: async () => ({ items: clients, nextCursor: undefined }),
        findClient: async (id: string) => {
          const found = clients.find(({ clientId }) => clientId === id);
          if (found?.clientId === 'fourth') return { ...found, importId: 'import_of_another' };
          // Of 4,096 changes, a version says nothing.
          return found?.clientId === 'first' ? { ...found, version: 4097, updatedAt: 2 } : found;
        },
        deleteClient: async (id: string) => {
          if (failures[id] !== undefined) throw failures[id];
        },
      },
      output: { progress: () => {}, printList: (items: readonly Done[]) => done.push(...items) },
      confirm: async () => {},
      answerNo: () => (exit = 1),
    };
    await expect(importClients.run(cli as never, [] as never, undo as never)).rejects.toBe(
      failures['fifth'],
    );
    const left = (id: string) => ({ outcome: 'not deleted', problem: failures[id]?.message });
    expect([exit, done]).toEqual([
      1,
      [
        { client_id: 'first', outcome: 'used or changed since' },
        { client_id: 'second', ...left('second') },
        { client_id: 'third', ...left('third') },
        { client_id: 'fourth', outcome: 'not deleted', problem: 'another import made it again' },
      ],
    ]);
  });
});

describe('a catalogue of Cognito', () => {
  const server = (identifier: string, ...names: readonly string[]) =>
    JSON.stringify({
      ResourceServer: {
        UserPoolId: 'us-west-2_EXAMPLE',
        Identifier: identifier,
        Name: 'API',
        Scopes: names.map((ScopeName) => ({ ScopeName, ScopeDescription: `May ${ScopeName}` })),
      },
    });

  it('becomes the scopes of the config, and says what collides', async () => {
    const long = `https://orders.example.com/${'x'.repeat(100)}`;
    const texts = [
      server('https://api.example.com', 'messages.read', 'Messages Send'),
      server(long, 'READ'),
      server(long, 'READ', 'write"all'),
      server('42'),
    ];
    const run = await authctl(['client', 'import', '--catalogue', write(texts.join('\n'))]);
    const { scopes } = JSON.parse(run.stdout) as { readonly scopes: readonly object[] };
    expect(scopes).toEqual([
      {
        service: 'x'.repeat(32),
        permission: 'read',
        description: 'May READ',
        value: `${long}/READ`,
      },
    ]);
    expect([run.exitCode, run.stderr.split('\n')]).toEqual([
      1,
      [
        `${scope}: the config has it`,
        'https://api.example.com/Messages Send: it cannot be a scope here (RFC 6749 §3.3)',
        `${long}/READ: 2 resource servers have it; here it is one`,
        `${long}/write"all: it cannot be a scope here (RFC 6749 §3.3)`,
        '',
      ],
    ]);
    const config = { ...deploymentConfig, scopes: [...deploymentConfig.scopes, ...scopes] };
    expect(() => parseDeploymentConfig(config)).not.toThrow();
    const other = await authctl([
      'client',
      'import',
      '--catalogue',
      write('{"UserPoolClient":{}}'),
    ]);
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      'authctl: allowed: what `aws cognito-idp describe-resource-server` prints\n',
    ]);
  });
});
