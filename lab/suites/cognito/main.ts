import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formerTokenPath } from '../../../contract/routes.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { runCommand, runOrThrow } from '../../support/run-command.ts';
import { makePythonEnvironment, trustVariables } from '../../support/runtimes.ts';
import { trustService, withLocalService } from '../../support/with-local-service.ts';
import { clients } from '../interop/clients.ts';
import { node, pinned } from '../interop/programs.ts';
import { startProgram } from '../interop/running-program.ts';

/*
 * Moves an estate of Cognito here, and goes back in the middle. Ids and secrets are those that moto's
 * Cognito made; the requests, of published clients too, differ in nothing but the address.
 */

interface App {
  readonly ClientId: string;
  readonly ClientSecret?: string;
  readonly AllowedOAuthFlows: readonly string[];
  readonly AllowedOAuthFlowsUserPoolClient: boolean;
  readonly AllowedOAuthScopes: readonly string[];
}

/** Basic, the same with the id once more, form-encoded as Spring does it, and the body only. */
function requestOf(
  { ClientId: id, ClientSecret: secret = 'none', AllowedOAuthScopes }: App,
  index: number,
) {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (index % 3 > 0) body.set('scope', AllowedOAuthScopes.slice(-index % 3).join(' '));
  if ((index % 4) % 2 === 1) body.set('client_id', id);
  if (index % 4 === 3) body.set('client_secret', secret);
  const pair = index % 4 === 2 ? [id, secret].map(encodeURIComponent) : [id, secret];
  const authorization = `Basic ${btoa(pair.join(':'))}`;
  return { method: 'POST', headers: index % 4 === 3 ? {} : { authorization }, body };
}

/** What an API looks at: the client's id twice, its life and its scopes, whose order means nothing. */
function describe(claims: Readonly<Record<string, string>>): string {
  const { client_id, sub, scope = '', exp, iat } = claims;
  return `${client_id} ${sub} ${Number(exp) - Number(iat)} s: ${scope.split(' ').toSorted().join(' ')}`;
}

function describeToken(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return describe(JSON.parse(claims) as Record<string, string>);
}

function describeCognito({ ClientId: id }: App, scope: string): string {
  return describe({ client_id: id, sub: id, scope, exp: '900', iat: '0' });
}

/**
 * The same of what Cognito gives, in place of its endpoint, which moto does not have:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
 */
function ofCognito(app: App, index: number): string {
  const isOn = app.AllowedOAuthFlowsUserPoolClient && app.ClientSecret !== undefined;
  if (!isOn || !app.AllowedOAuthFlows.includes('client_credentials')) return '401';
  const scope = requestOf(app, index).body.get('scope') ?? app.AllowedOAuthScopes.join(' ');
  return describeCognito(app, scope);
}

async function askAll(url: string, apps: readonly App[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const [index, app] of apps.entries()) {
    const response = await fetch(url, requestOf(app, index));
    const { access_token: token = '' } = (await response.json()) as { access_token?: string };
    answers.push(response.status === 200 ? describeToken(token) : String(response.status));
  }
  return answers;
}

const published = new Set(
  'requests-oauthlib pyiceberg openid-client clientcredentials prometheus spring-security'.split(
    ' ',
  ),
);
const callers = [
  { name: `axios ${pinned.npm('axios')}`, runtime: node, program: 'axios' },
  ...clients.filter(({ program }) => published.has(program)),
];

/** Each published client as it comes, with the credentials of one that moves. */
async function askPublished(service: LocalRun, apps: readonly App[]): Promise<void> {
  const { caPath = '', paths, issuer } = service;
  const address = { ISSUER: issuer, TOKEN_URL: issuer + formerTokenPath };
  for (const [index, { name, runtime, program }] of callers.entries()) {
    const prepared = await runtime('client', { caPath, directory: paths.directory });
    if ('missing' in prepared) {
      process.stdout.write(`SKIPPED ${name}: this machine lacks ${prepared.missing}\n`);
      continue;
    }
    const app = apps[4 * index] ?? assert.fail('too few clients');
    const { ClientId: CLIENT_ID, ClientSecret: CLIENT_SECRET = '' } = app;
    const SCOPE = app.AllowedOAuthScopes.join(' ');
    const started = startProgram<object, { ok: boolean; token?: string; why?: string }>(
      [...prepared.command, program, 'default'],
      { ...address, ...trustVariables(caPath), CLIENT_ID, CLIENT_SECRET, SCOPE },
    );
    const { token, why } = await started.ask({});
    await started.close();
    const found = token === undefined ? why : describeToken(token);
    assert.equal(found, describeCognito(app, SCOPE), name);
    process.stdout.write(`passed  ${name} gets the token of before\n`);
  }
}

type Done = { readonly outcome: string; readonly import_id?: string };
type Scope = Readonly<Record<'service' | 'permission' | 'description' | 'value', string>>;

async function authctl({ environment }: LocalRun, ...words: readonly string[]) {
  const program = join(import.meta.dirname, '../../../cli/authctl.ts');
  const command = [process.execPath, program, '--json', 'client', 'import', ...words] as const;
  const { stdout, output } = await runCommand(command, { environment });
  assert.match(stdout, /^\{/, output);
  return JSON.parse(stdout) as { items: readonly Done[]; scopes: readonly Scope[] };
}

/** How many clients had each outcome, and the id of the import. */
async function importClients(service: LocalRun, ...words: readonly string[]) {
  const { items } = await authctl(service, ...words);
  const counts = Object.entries(Object.groupBy(items, ({ outcome }) => outcome));
  return [
    Object.fromEntries(counts.map(([outcome, all = []]) => [outcome, all.length])),
    items.find((one) => one.import_id)?.import_id ?? '',
  ] as const;
}

const config = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [{ service: 'messaging', permission: 'view', description: 'Read' }],
  clientImport: {},
  clientSecretPost: true,
};

/** The estate's clients, and its resource servers as scopes of the config. */
function readEstate(python: string) {
  return withLocalService({ config }, async (service) => {
    const { directory } = service.paths;
    await runOrThrow([python, join(import.meta.dirname, 'make_clients.py'), directory]);
    const { scopes } = await authctl(
      service,
      '--catalogue',
      join(directory, 'resource-servers.json'),
    );
    assert.equal(scopes.length, 73);
    return { scopes, clients: readFileSync(join(directory, 'cognito.json'), 'utf8') };
  });
}

async function proveMove({ scopes, clients }: Awaited<ReturnType<typeof readEstate>>) {
  const texts = clients.trim().split(/\n(?=\{)/);
  const apps = texts.map((one) => (JSON.parse(one) as { UserPoolClient: App }).UserPoolClient);
  const before = apps.map(ofCognito);
  const [none, half] = [before.map(() => '401'), before.length / 2];
  const options = { https: true, config: { ...config, scopes: [...config.scopes, ...scopes] } };
  await withLocalService(options, async (service) => {
    trustService(service);
    const file = join(service.paths.directory, 'cognito.json');
    writeFileSync(file, clients);
    const from = ['--from', file, '--trunk-group', 'tg-7'];
    const ask = (some = apps) => askAll(service.issuer + formerTokenPath, some);
    const undo = (id: string, ...more: readonly string[]) =>
      importClients(service, '--undo', id, '--yes', ...more);

    const [check] = await importClients(service, ...from, '--check');
    assert.deepEqual(check, { 'can be imported': 592, refused: 8 });
    assert.deepEqual(await ask(), none);
    const [imported, first] = await importClients(service, ...from);
    assert.deepEqual(imported, { imported: 592, refused: 8 });
    const moved = apps.slice(0, half);
    assert.deepEqual(await ask(moved), before.slice(0, half));
    await askPublished(service, moved);
    process.stdout.write('passed  half of 600 clients have moved; 8 had no token and have none\n');

    assert.deepEqual((await undo(first))[0], { 'used or changed since': 296, deleted: 296 });
    assert.deepEqual(await ask(), [...before.slice(0, half), ...none.slice(half)]);
    await askPublished(service, moved);
    process.stdout.write('passed  after an undo who moved goes on, and no other gets a token\n');

    const [again, second] = await importClients(service, ...from);
    assert.deepEqual(again, { 'imported before': 296, imported: 296, refused: 8 });
    assert.deepEqual(await ask(), before);
    for (const id of [first, second]) {
      assert.deepEqual((await undo(id, '--with-used'))[0], { deleted: 296 });
    }
    assert.deepEqual(await ask(), none);
    process.stdout.write('passed  all 592 have moved with scopes, ids and lives, and gone back\n');
  });
}

const python = await makePythonEnvironment(['moto[cognitoidp]==5.2.5']);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: Cognito's clients cannot be made: no ${python.missing}\n`);
} else {
  await proveMove(await readEstate(join(python.bin, 'python')));
}
