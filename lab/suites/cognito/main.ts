import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../cli/commands/client-import.ts';
import { formerTokenPath } from '../../../contract/routes.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { runCommand, runOrThrow } from '../../support/run-command.ts';
import { cacheFolder, makePythonEnvironment, trustVariables } from '../../support/runtimes.ts';
import { trustService, withLocalService } from '../../support/with-local-service.ts';
import type { TokenAnswer } from '../interop/check-client.ts';
import { clients } from '../interop/clients.ts';
import { node, pinned } from '../interop/programs.ts';
import { startProgram, type Variables } from '../interop/running-program.ts';
import { checkEach } from '../interop/tables.ts';

/*
 * Moves an estate of Cognito here, and goes back in the middle. Ids and secrets are those that moto's
 * Cognito made; the requests, of published clients too, differ in nothing but the address.
 */

interface Caller {
  readonly request: RequestInit;
  /** The token of before, as {@link describeToken} has it, or the status of a refusal. */
  readonly answer: string;
  /** For a published client, which asks for all scopes, and its token of before. */
  readonly variables: Variables;
  readonly whole: string;
}

function describeToken(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { client_id, sub, scope = '', exp, iat } = JSON.parse(claims) as Record<string, string>;
  const scopes = scope.split(' ').toSorted().join(' ');
  return `${client_id} ${sub} ${Number(exp) - Number(iat)} s: ${scopes}`;
}

async function askAll(url: string, callers: readonly Caller[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const { request } of callers) {
    const response = await fetch(url, { method: 'POST', ...request });
    const { access_token: token = '' } = (await response.json()) as { access_token?: string };
    answers.push(response.status === 200 ? describeToken(token) : String(response.status));
  }
  return answers;
}

const names =
  'requests-oauthlib pyiceberg openid-client clientcredentials prometheus spring-security';
const published = [
  { name: `axios ${pinned.npm('axios')}`, language: 'Node', runtime: node, program: 'axios' },
  ...clients.filter(({ program }) => names.split(' ').includes(program)),
];

/** Each published client as it comes, with the credentials of one that moves. */
async function askPublished(service: LocalRun, callers: readonly Caller[]): Promise<void> {
  const { caPath = '', paths, issuer: ISSUER } = service;
  const common = { ISSUER, TOKEN_URL: ISSUER + formerTokenPath, ...trustVariables(caPath) };
  const trust = { caPath, directory: paths.directory };
  const build = ({ runtime }: (typeof published)[number]) => runtime('client', trust);
  await checkEach(published, build, async (client, { command }) => {
    const { variables, whole } = callers[published.indexOf(client)] ?? assert.fail();
    const program = startProgram<object, TokenAnswer>([...command, client.program, 'default'], {
      ...common,
      ...variables,
    });
    const { token, why } = await program.ask({});
    await program.close();
    assert.equal(token === undefined ? why : describeToken(token), whole, client.name);
    process.stdout.write(`passed  ${client.name} gets the token of before\n`);
  });
}

/** How many clients had each outcome, and the id of the import. */
async function importClients({ environment }: LocalRun, ...words: readonly string[]) {
  const program = join(import.meta.dirname, '../../../cli/authctl.ts');
  const command = [process.execPath, program, '--json', 'client', 'import', ...words] as const;
  const { stdout, output } = await runCommand(command, { environment });
  assert.match(stdout, /^\{/, output);
  type Done = { readonly outcome: string; readonly import_id?: string };
  const { items } = JSON.parse(stdout) as { readonly items: readonly Done[] };
  const counts = Object.entries(Object.groupBy(items, ({ outcome }) => outcome));
  return [
    Object.fromEntries(counts.map(([outcome, all = []]) => [outcome, all.length])),
    items.find((one) => one.import_id)?.import_id ?? '',
  ] as const;
}

async function proveMove(folder: string, callers: readonly Caller[]): Promise<void> {
  const { scopes } = readCatalogue(readFileSync(join(folder, 'resource-servers.json')), []);
  assert.equal(scopes.length, 73);
  const config = {
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    scopes,
    clientImport: {},
    clientSecretPost: true,
  };
  const before = callers.map(({ answer }) => answer);
  const [none, half] = [before.map(() => '401'), callers.length / 2];
  await withLocalService({ https: true, config }, async (service) => {
    trustService(service);
    const from = ['--from', join(folder, 'cognito.json'), '--trunk-group', 'tg-7'];
    const ask = (some = callers) => askAll(service.issuer + formerTokenPath, some);
    const undo = (id: string, ...more: readonly string[]) =>
      importClients(service, '--undo', id, '--yes', ...more);

    const [check] = await importClients(service, ...from, '--check');
    assert.deepEqual(check, { 'can be imported': 592, refused: 8 });
    assert.deepEqual(await ask(), none);
    const [imported, first] = await importClients(service, ...from);
    assert.deepEqual(imported, { imported: 592, refused: 8 });
    const moved = callers.slice(0, half);
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
  const folder = cacheFolder('cognito');
  const program = join(import.meta.dirname, 'make_clients.py');
  const output = await runOrThrow([join(python.bin, 'python'), program, folder]);
  await proveMove(folder, JSON.parse(output) as readonly Caller[]);
}
