import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { runCli, useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

const create = ['client', 'create', '--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];
const key = ['api-key', 'create', '--name', 'A', '--trunk-group', 'tg'];
const noClient = 'client_0000000000000000000000';
const noKey = 'key_0000000000000000000000';

describe('wrong usage ends with 2', () => {
  it.each<[string, readonly string[], string]>([
    [
      'an unknown command',
      ['clint'],
      "authctl: unknown command 'clint'\n(Did you mean client?)\n(--help shows what is allowed)\n",
    ],
    ['an unknown subcommand', ['client', 'lst'], "authctl: unknown command 'lst'"],
    ['an unknown option', ['client', 'list', '--all'], "authctl: unknown option '--all'"],
    ['a missing option', ['client', 'create'], "required option '--name <name>' not specified"],
    ['a missing argument', ['client', 'show'], "missing required argument 'client-id'"],
    ['one argument too many', ['client', 'list', 'x'], 'too many arguments'],
    [
      'two ends',
      ['client-secret', 'create', noClient, '--expires-in', '1d', '--expires-at', '2099-01-01'],
      "option '--expires-in <duration>' cannot be used with option '--expires-at <time>'",
    ],
    [
      'two forms',
      ['client', 'list', '--quiet', '--json'],
      '--json and --quiet: only one can be given',
    ],
    ['no change', ['client', 'update', noClient], 'authctl: nothing to change; add an option'],
    [
      'the last scope, by the option that was given',
      ['client', 'update', '$client', '--remove-scope', 'calls:view'],
      '--remove-scope: received ["calls:view"]; allowed: scopes of the client, but not all of them',
    ],
    [
      'an end at once',
      ['client-secret', 'create', '$client', '--expires-in', '0'],
      '--expires-in: received "0"; allowed: 1s or more',
    ],
    [
      'an invalid end',
      ['client-secret', 'create', '$client', '--expires-at', 'May'],
      '--expires-at: received "May"; allowed: a time before the year 10000, such as 2027-03-31',
    ],
    [
      'a subnet without name',
      [...key, '--allow', '10.0.0.0/8'],
      '--allow: received "10.0.0.0/8"; allowed: a name and a subnet',
    ],
    [
      'no confirmation',
      ['client', 'delete', '$client'],
      'This needs confirmation and stdin is not a terminal: add --yes',
    ],
    [
      'keys of a trunk group',
      ['signing-key', 'list', '--only-trunk-group', 'tg-1'],
      'signing keys concern every service trunk group',
    ],
    [
      'another way',
      ['client', 'list', '--through', 'tunnel'],
      '--through: received "tunnel"; allowed:',
    ],
    [
      'no credential',
      ['explain', 'request', '--bearer-stdin'],
      '--bearer-stdin: received no credential on stdin',
    ],
  ])('%s', async (_, args, message) => {
    const { client, key: keyId } = await fixtures();
    const named = args.map((arg) => (arg === '$client' ? client : arg === '$key' ? keyId : arg));
    const before = await json(['client', 'list']);
    const run = await authctl(named);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(await json(['client', 'list'])).toEqual(before);
  });
});

describe('a refusal ends with 1', () => {
  it.each<[string, readonly string[], string]>([
    ['no such client', ['client', 'show', noClient], `there is no client "${noClient}"`],
    ['no such key', ['api-key', 'show', noKey], `there is no API key "${noKey}"`],
    [
      'a scope that the client does not have',
      ['client', 'update', '$client', '--remove-scope', 'numbers:view'],
      'the client does not have the scope "numbers:view"; it has calls:view',
    ],
    [
      'an idempotency key of another client',
      [...create, '--idempotency-key', 'used-before'],
      'this idempotency key was used to create a client with other values',
    ],
  ])('%s', async (_, args, message) => {
    const { client, key: keyId } = await fixtures();
    const name = (text: string) => text.replace('$client', client).replace('$key', keyId);
    const run = await authctl(args.map(name));
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain(name(message));
  });
});

let known: Promise<{ readonly client: string; readonly key: string }> | undefined;

function fixtures() {
  known ??= (async () => {
    const client = await json([...create, '--name', 'Fixture', '--idempotency-key', 'used-before']);
    const apiKey = await json([...key, '--allow', 'a=10.0.0.0/8']);
    return { client: String(client.client_id), key: String(apiKey.key_id) };
  })();
  return known;
}

describe('what is asked before something is deleted', () => {
  it.each([
    ['y\n', 0],
    ['yes\n', 0],
    ['n\n', 1],
    ['\n', 1],
    ['', 1],
  ])('an answer of %j ends with %s', async (stdin, exitCode) => {
    const { client_id: id } = await json(create);
    const run = await authctl(['client', 'delete', String(id)], { stdin, isTerminal: true });
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain(`Delete the client ${String(id)} (A) with its secrets (0)? [y/N]`);
    expect((await authctl(['client', 'show', String(id)])).exitCode).toBe(exitCode === 0 ? 1 : 0);
  });
});

describe('a deployment that cannot be used', () => {
  it.each([
    ['is not named', [], {}, 'no deployment is named: use --config FILE or AUTHCTL_CONFIG'],
    ['is not there', ['--config', 'none.json'], {}, 'none.json cannot be read: ENOENT'],
    ['is not there by variable', [], { AUTHCTL_CONFIG: 'none.json' }, 'cannot be read: ENOENT'],
    ['is not JSON', ['--config', 'text'], {}, 'text is not JSON'],
    ['is incomplete', ['--config', 'empty.json'], {}, 'regions: missing'],
    ['is a folder', ['--config', '.'], {}, 'cannot be read: EISDIR'],
    ['has no local run', ['--local'], {}, 'start the local run there with npm start'],
  ])('as it %s ends with 2', async (_, options, env, message) => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'text'), 'name: x');
    writeFileSync(join(cwd, 'empty.json'), '{}');
    const run = await runCli(['client', 'list', ...options], { cwd, env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('backends that cannot be used', () => {
  const onTables = ['--through', 'tables'];

  it.each([
    [
      'client show',
      ['client', 'show', noClient, ...onTables],
      'could not read an item of other-clients',
    ],
    // It reads several partitions at once: any of them can be the first that is refused.
    ['signing-key list', ['signing-key', 'list'], 'could not list [a-z_]+ of other-signing-keys'],
    [
      'client list through the function',
      ['client', 'list', '--through', 'function'],
      'could not invoke \\S+:function:other-management:client-operator',
    ],
  ])('a table or function that is not there is named by %s', async (_, args, message) => {
    const cwd = temporaryDirectory();
    const { paths } = service();
    const config = JSON.parse(readFileSync(paths.deploymentConfig, 'utf8')) as object;
    writeFileSync(join(cwd, 'other.json'), JSON.stringify({ ...config, name: 'other' }));
    mkdirSync(join(cwd, '.local'));
    copyFileSync(paths.demoEnvironment, join(cwd, '.local', 'demo.env'));
    const run = await runCli([...args, '--local', '--config', 'other.json'], { cwd });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    const reason =
      "it does not exist in this AWS region; the config's name, the region and the account must be the deployment's \\(ResourceNotFoundException\\)";
    expect(run.stderr).toMatch(new RegExp(`^authctl: ${message}: ${reason}\n$`));
  });

  it('a local run that has ended is said to be unavailable', async () => {
    const cwd = temporaryDirectory();
    const { environment } = service();
    const lines = Object.entries({
      ...environment,
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    }).map(([name, value]) => `${name}='${value}'\n`);
    mkdirSync(join(cwd, '.local'));
    writeFileSync(join(cwd, '.local', 'demo.env'), lines.join(''));
    const run = await runCli(['client', 'show', noClient, '--local', ...onTables], { cwd });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toBe(
      'authctl: the local run does not answer; start it with npm start (could not read an item of local-clients: connect ECONNREFUSED 127.0.0.1:1)\n',
    );
  });

  it.each([
    ['a missing argument', ['client', 'show', '--json']],
    ['an unknown option', ['--json', 'client', 'list', '--all']],
    ['an unknown command', ['--json', 'clint']],
  ])('wrong usage with --json is JSON, too: %s', async (_, args) => {
    const run = await runCli(args);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(run.stderr)).toEqual({
      error: 'usage',
      error_description: expect.stringContaining('(--help shows what is allowed)'),
    });
  });

  it('an error with --json is JSON, on stderr', async () => {
    const run = await authctl(['client', 'show', noClient, '--json']);
    expect(JSON.parse(run.stderr)).toEqual({
      error: 'refused',
      error_description: `there is no client "${noClient}"`,
    });
  });
});
