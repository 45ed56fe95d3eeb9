import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, requestToken, service } = useLocalCli({ providerKeyFiles: true });

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
});

afterAll(() => provider.close());

beforeEach(async () => {
  await authctl(['provider', 'delete', provider.issuer, '--cascade', '--yes']);
});

function createClient(name: string) {
  return json(
    `client create --name ${name} --trunk-group tg-1 --scope calls:view --provider ${provider.issuer} --external-client-id ${name}`,
  );
}

function token(different: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  return signToken(provider.key, {
    iss: provider.issuer,
    sub: 'erp',
    client_id: 'erp',
    aud: 'https://api.example.com',
    iat: now,
    exp: now + 300,
    ...different,
  });
}

async function decisionOn(stdin: string) {
  const run = await authctl(['explain', 'request', '--bearer-stdin', '--json'], { stdin });
  const { accepted, reason } = JSON.parse(run.stdout) as { accepted: boolean; reason?: string };
  return accepted ? 'accepted' : reason;
}

it('registers a provider with a file of its keys, which is never fetched', async () => {
  const inside = 'https://kubernetes.default.svc.cluster.local';
  const file = join(makeTemporaryDirectory().path, 'keys.json');
  const give = (...keys: object[]) => writeFileSync(file, JSON.stringify({ keys }));
  const register = ['provider', 'register', inside, '--jwks-file', file];
  const other = createTestKey('ES256');
  give({ ...provider.key.jwk, use: 'sig' });
  expect((await authctl([...register, '--replace-keys'])).stderr).toContain('there is no provider');
  expect(await json(register)).toMatchObject({ issuer: inside, keys_version: 1 });
  await json(
    `client create --name erp --trunk-group tg-1 --scope messaging:view --provider ${inside} --external-client-id erp`,
  );
  expect(await decisionOn(token({ iss: inside }))).toBe('accepted');
  const api = await fetch(service().exampleUrl, {
    headers: { authorization: `Bearer ${token({ iss: inside })}` },
  });
  expect(api.status).toBe(200);
  expect((await authctl(['provider', 'show', inside])).stdout).toMatch(
    /^keys from a file {2,}version 1, of 2\S+Z$/m,
  );
  expect((await authctl(['provider', 'list'])).stdout).toContain('version 1, of ');
  const stdin = signToken(other, {
    iss: inside,
    sub: 'erp',
    aud: 'https://api.example.com',
    exp: Math.floor(Date.now() / 1000) + 60,
  });
  const explained = await authctl(['explain', 'request', '--bearer-stdin'], { stdin });
  expect(explained.stdout).toContain('its keys were given in a file: version 1, of 2');
  give(other.jwk);
  expect(await json([...register, '--replace-keys'])).toMatchObject({ keys_version: 2 });
  const missing = await authctl(['provider', 'register', inside, '--replace-keys']);
  expect(missing.stderr).toContain('--replace-keys needs --jwks-file');
  const unread = await authctl(['provider', 'register', inside, '--jwks-file', `${file}.no`]);
  expect(unread.stderr).toContain(`--jwks-file: ${file}.no cannot be read: ENOENT`);
  await json(['provider', 'delete', inside, '--cascade', '--yes']);
});

it('registers a provider and shows what was filled in', async () => {
  const registered = await json(['provider', 'register', provider.discoveryUrl]);
  expect(registered).toEqual({
    issuer: provider.issuer,
    registration_id: expect.stringMatching(/^idp_/),
    discovery_url: provider.discoveryUrl,
    jwks_uri: `${provider.issuer}/keys`,
    allowed_algorithms: ['RS256', 'ES256'],
    registered_at: expect.any(String),
    keys: [{ kid: provider.key.kid, alg: 'ES256', kty: 'EC' }],
    skipped_keys: [],
  });
  const { keys: _, skipped_keys: __, ...stored } = registered;
  expect(await json(['provider', 'show', provider.issuer])).toEqual(stored);
  expect(await json(['provider', 'list'])).toEqual({ items: [stored] });
  const again = await authctl(['provider', 'register', provider.discoveryUrl]);
  expect(again).toMatchObject({ exitCode: 1, stdout: '' });
  expect(again.stderr).toContain('is registered; a provider is not edited');
});

it('accepts tokens of its clients, which have no secret and get no token here', async () => {
  await json(['provider', 'register', provider.discoveryUrl]);
  expect(await decisionOn(token())).toBe('client_unknown');
  const client = await createClient('erp');
  expect(client).toMatchObject({ provider: provider.issuer, external_client_id: 'erp' });
  expect(await decisionOn(token())).toBe('accepted');
  expect(await decisionOn(token({ client_id: 'other' }))).toBe('client_unknown');
  const bound = { stdin: token({ cnf: { jkt: 'k'.repeat(43) } }) };
  const { stderr } = await authctl(['explain', 'request', '--bearer-stdin'], bound);
  expect(stderr).toContain('Each request also needs a proof of it (DPoP)');

  const clientId = String(client.client_id);
  const refused = await authctl(['client-secret', 'create', clientId]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('it authenticates there and has no secret here');
  expect(await requestToken(clientId, 'x')).toMatchObject({ status: 401 });

  await json(['client', 'disable', clientId]);
  expect(await decisionOn(token())).toBe('client_disabled');
});

it('is inspected with tokens before it is registered, and no token is shown', async () => {
  const good = token({ aud: 'account', client_id: undefined, azp: 'erp' });
  const late = token({ exp: 1_000 });
  const inspect = ['provider', 'inspect', provider.discoveryUrl, '--token-stdin'];
  const run = await authctl(inspect, { stdin: `${good}\n${late}\n` });
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain('It can be registered.');
  expect(run.stdout).toContain('Token 1: accepted, if there is a client with this id');
  expect(run.stdout).toMatch(/external client id +erp \(azp\)\n *audience +account/);
  expect(run.stdout).toContain('Token 2: refused (token_expired).');
  for (const one of [good, late]) expect(run.stdout).not.toContain(one.split('.')[2]);
  expect(await json(['provider', 'list'])).toEqual({ items: [] });

  const only = await authctl([...inspect, '--json'], { stdin: good });
  expect(only.exitCode).toBe(0);
  expect(JSON.parse(only.stdout)).toMatchObject({
    registrable: true,
    issuer: provider.issuer,
    tokens: [{ usable: true, external_client_id: 'erp', audience: ['account'] }],
  });
  const empty = await authctl(inspect, { stdin: '\n' });
  expect(empty).toMatchObject({ exitCode: 2, stdout: '' });
});

it('is inspected with the claim that keeps tokens of people out', async () => {
  const inspect = ['provider', 'inspect', provider.discoveryUrl, '--token-stdin'];
  const own = await authctl(inspect, { stdin: token({ client_id: 'erp', sub: 'erp' }) });
  expect(own.stdout).toContain('Rule: create the client with --require-claim sub=erp');
  const other = await authctl(inspect, { stdin: token({ client_id: 'erp', sub: 'a-uuid' }) });
  expect(other.stdout).toContain('Rule: none is known for this issuer.');
  const { stdout } = await authctl([...inspect, '--json'], { stdin: token({ sub: 'erp' }) });
  expect(JSON.parse(stdout)).toMatchObject({
    tokens: [{ application_rule: { required_claims: ['sub=erp'], added: false, met: true } }],
  });
});

it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  ['an appid', { client_id: undefined, appid: 'erp' }, /appid names the application; sub can/],
  ['a cid', { client_id: undefined, cid: 'erp', sub: 'ann@example.com' }, /--client-id-claim cid/],
  ['no aud', { aud: undefined }, /Hint: --audience-from scope takes the audience from/],
])('is inspected with a hint for a token with %s', async (_, claims, hint) => {
  const inspect = ['provider', 'inspect', provider.discoveryUrl, '--token-stdin'];
  expect((await authctl(inspect, { stdin: token(claims) })).stdout).toMatch(hint);
  expect((await authctl(inspect, { stdin: token() })).stdout).not.toContain('Hint');
});

it('names its clients by the claim that was chosen, and asks if users may write it', async () => {
  const register = ['provider', 'register', provider.discoveryUrl, '--client-id-claim'];
  const refused = await authctl([...register, 'preferred_username']);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('each of them can call as any client');
  expect(await json(['provider', 'list'])).toEqual({ items: [] });
  const registered = await json([...register, 'appid']);
  expect(registered).toMatchObject({ client_id_claim: 'appid' });
  await createClient('erp');
  expect(await decisionOn(token({ appid: 'erp', client_id: 'x' }))).toBe('accepted');
  expect(await decisionOn(token())).toBe('token_claims_malformed');
});

it('is not deleted while it has clients, unless with them', async () => {
  await json(['provider', 'register', provider.discoveryUrl]);
  const { client_id: a } = await createClient('a');
  const { client_id: erp } = await createClient('erp');
  const refused = await authctl(['provider', 'delete', provider.issuer, '--yes']);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(`has 2 clients: ${String(a)} (a), ${String(erp)} (erp)`);
  expect(await decisionOn(token())).toBe('accepted');
  const deleted = await json(['provider', 'delete', provider.issuer, '--cascade', '--yes']);
  expect(deleted).toEqual({ issuer: provider.issuer, deleted: true, deleted_clients: [a, erp] });
  expect(await decisionOn(token())).toBe('issuer_unknown');
});

it('hints at the discovery URL of what may be an issuer', async () => {
  const run = await authctl(['provider', 'register', provider.issuer]);
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toBe(
    `authctl: ${provider.issuer} cannot be fetched: it did not answer with status 200; the discovery document of an issuer ${provider.issuer} is usually at ${provider.discoveryUrl}\n`,
  );
  provider.documents.set('/', { hello: 'world' });
  const other = await authctl(['provider', 'register', `${provider.issuer}/`]);
  expect(other.stderr).toContain(
    `issuer, jwks_uri is missing or of the wrong type; the discovery document of an issuer ${provider.issuer}/ is usually at ${provider.discoveryUrl}\n`,
  );
});

it('hints at a registered issuer with a slash more or less, and at one that was given as its discovery URL', async () => {
  await json(['provider', 'register', provider.discoveryUrl]);
  const hint = `there is no provider "GIVEN"; registered is "${provider.issuer}", without a slash at the end\n`;
  const given = [`${provider.issuer}/`, provider.discoveryUrl];
  for (const issuer of given) {
    const client = 'client create --name A --trunk-group tg --scope calls:view'.split(' ');
    for (const args of [
      ['provider', 'show', issuer],
      ['provider', 'delete', issuer, '--yes'],
      [...client, '--provider', issuer, '--external-client-id', 'x'],
    ]) {
      const run = await authctl(args);
      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(hint.replace('GIVEN', issuer));
    }
  }
});

it('has clients by patterns, with the claims that they require', async () => {
  await json(['provider', 'register', provider.discoveryUrl, '--allow-client-patterns']);
  const client = ['client', 'create', '--name', 'CI', '--trunk-group', 'tg-1'];
  const options = ['--scope', 'calls:view', '--provider', provider.issuer, '--audience', 'my api'];
  const id = (value: string) => ['--external-client-id', value];
  const broad = await authctl([...client, ...options, ...id('repo:acme/*')]);
  expect(broad).toMatchObject({ exitCode: 2, stdout: '' });
  expect(broad.stderr).toContain('a pattern that is not so broad');
  const require = (condition: string) => ['--require-claim', condition];
  const created = await json([
    ...client,
    ...options,
    ...id('repo:acme/app:ref:refs/heads/*'),
    ...require('environment=production'),
    ...require('environment=staging'),
    ...require('repository_id=7'),
  ]);
  expect(created).toMatchObject({
    required_claims: [
      { claim: 'environment', values: ['production', 'staging'] },
      { claim: 'repository_id', values: ['7'] },
    ],
  });
  const update = ['client', 'update', String(created['client_id'])];
  const free = await json([...update, '--remove-required-claims']);
  expect(free).not.toHaveProperty('required_claims');
});

it('refuses tokens of people to new clients of a known platform, and lists clients that allow them', async () => {
  const realm = `${provider.issuer}/realms/acme`;
  const path = '/realms/acme/.well-known/openid-configuration';
  const document = { issuer: realm, jwks_uri: `${provider.issuer}/keys` };
  provider.documents.set(path, document);
  const registered = await authctl(['provider', 'register', `${provider.issuer}${path}`]);
  expect(registered.stdout).toMatch(/tokens of people +refused \(Keycloak\)/);
  const create = (id: string, ...options: readonly string[]) =>
    authctl([
      ...`client create --name ${id} --trunk-group tg-1 --scope calls:view`.split(' '),
      ...`--provider ${realm} --external-client-id ${id}`.split(' '),
      ...options,
    ]);

  const ruled = await create('erp');
  expect(ruled.stdout).toMatch(/required claims +client_id: erp/);
  expect(ruled.stderr).toContain('client_id=erp, which only tokens of the application itself have');
  const app = { iss: realm, azp: 'erp', sub: 'service-account' };
  expect(await decisionOn(token(app))).toBe('accepted');
  const person = { ...app, sub: 'jane', client_id: undefined };
  expect(await decisionOn(token(person))).toBe('client_condition_unmet');

  const open = await create('crm', '--allow-user-tokens', '--quiet');
  expect(open.stderr).not.toContain('only tokens of the application');
  expect(await decisionOn(token({ ...person, azp: 'crm' }))).toBe('accepted');
  const listed = await authctl(['client', 'list', '--allows-user-tokens', '--quiet']);
  expect(listed.stdout).toBe(open.stdout);
  await authctl(['provider', 'delete', realm, '--cascade', '--yes']);
});

it('registers a provider for a trunk group, and takes it over', async () => {
  const { issuer, discoveryUrl } = provider;
  const registered = await json(['provider', 'register', discoveryUrl, '--trunk-group', 'tg-9']);
  expect(registered).toMatchObject({ service_trunk_groups: ['tg-9'], owner_version: 1 });
  expect((await authctl(['provider', 'list'])).stdout).toContain('tg-9');
  const nothing = await authctl(['provider', 'assign', issuer]);
  expect(nothing.stderr).toContain('add --trunk-group or --platform');
  const own = ['--trunk-group', 'tg-9', '--trunk-group', 'tg-1'];
  expect(await json(['provider', 'assign', issuer, ...own])).toMatchObject({ owner_version: 2 });
  await createClient('erp');
  const takeover = ['provider', 'assign', issuer, '--platform', '--yes'];
  const refused = await authctl(takeover);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/"erp"\) of the service trunk group tg-1 is under the provider/);
  const taken = await authctl([...takeover, '--keep-clients-of', 'tg-1']);
  expect(taken.stdout).toContain('it was taken over');
});

it('has ids of another trunk group, of which the grant says what becomes of each client', async () => {
  await json(['provider', 'register', provider.discoveryUrl]);
  const ids = ['app:a/1', 'app:a/2', 'app:a/3'];
  const created = await Promise.all(ids.map(createClient));
  const [one = '', two = '', three = ''] = created.map((client) => String(client['client_id']));
  const grant = ['provider', 'grant', provider.issuer, 'app:a/', '--trunk-group', 'tg-2'];
  const nothing = await authctl(grant.slice(0, 4));
  expect(nothing.stderr).toContain('nothing to change; add --trunk-group or --withdraw');
  const outside = (await authctl(['provider', 'check'])).stdout;
  for (const id of ids) expect(outside).toMatch(new RegExp(`tg-1 .* ${id} +none`));
  const some = await authctl([...grant, '--disable', one, '--leave', two]);
  expect(some).toMatchObject({ exitCode: 1, stdout: '' });
  expect(some.stderr).toContain(three);
  const asked = await authctl([...grant, '--disable', one, '--leave', two, '--delete', three]);
  expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await authctl(['provider', 'grants'])).stdout).not.toContain('app:a/');

  const decided = ['--disable', one, '--leave', two, '--delete', three, '--yes'];
  const granted = await authctl([...grant, ...decided]);
  expect(granted).toMatchObject({ exitCode: 0 });
  expect(granted.stderr).toContain(`${two} (app:a/2) of tg-1 has such an id, too.`);
  expect(granted.stderr).not.toContain(three);
  expect(await json(['client', 'show', one])).toMatchObject({ enabled: false });
  expect(await json(['client', 'show', two])).toMatchObject({ enabled: true });
  expect((await authctl(['client', 'show', three])).exitCode).toBe(1);
  const shared = await authctl(['provider', 'check', '--issuer', provider.issuer]);
  expect(shared.stdout).toMatch(/tg-1 .* app:a\/2 +tg-2/);

  const inside = ['client', 'create', '--name', 'erp', '--trunk-group', 'tg-1'];
  const at = ['--provider', provider.issuer, '--external-client-id', 'app:a/4'];
  const create = [...inside, '--scope', 'calls:view', ...at];
  const refused = await authctl(create);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('app:a/ to tg-2');
  expect(await json([...create, '--allow-other-grant'])).toMatchObject({ enabled: true });
  await json([...grant.slice(0, 4), '--withdraw']);
});

it('is registered by a trunk group only with a grant of its issuer', async () => {
  const { issuer, discoveryUrl } = provider;
  const asCustomer = ['--only-trunk-group', 'tg-9'];
  const register = ['provider', 'register', discoveryUrl, '--trunk-group', 'tg-9', ...asCustomer];
  await json(['trunk-group-limits', 'set', 'tg-9', '--own-providers', '1']);
  const refused = await authctl(register);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('is not granted to the service trunk group tg-9');
  const grant = ['provider', 'grant-issuer', issuer];
  const nothing = await authctl(grant);
  expect(nothing.stderr).toContain('nothing to change; add --trunk-group or --withdraw');
  const shared = await authctl([
    'provider',
    'grant-issuer',
    'https://gitlab.com',
    ...register.slice(3, 5),
  ]);
  expect(shared).toMatchObject({ exitCode: 2, stdout: '' });
  const grants = [{ value: issuer, service_trunk_groups: ['tg-9'] }];
  expect(await json([...grant, '--trunk-group', 'tg-9'])).toMatchObject({
    items: [{ kind: 'issuer', grants }],
  });
  expect((await authctl(['provider', 'grants'])).stdout).toMatch(new RegExp(`${issuer} +tg-9`));
  expect((await authctl(register)).exitCode).toBe(0);

  const other = await authctl([...grant, '--trunk-group', 'tg-8']);
  expect(other).toMatchObject({ exitCode: 1, stdout: '' });
  expect(other.stderr).toContain(issuer);
  expect((await authctl([...grant, '--trunk-group', 'tg-8', '--leave', issuer])).exitCode).toBe(0);
  const checked = await authctl(['provider', 'check']);
  expect(checked.stderr).toContain(`${issuer} is registered for tg-9 without a grant`);
  expect(await json([...grant, '--withdraw'])).toMatchObject({ items: [{ grants: [] }] });
});
