import { describe, expect, it } from 'vitest';
import { commandGroups } from '../../../cli/command-groups.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json } = useLocalCli();

interface Made {
  readonly client: string;
  readonly secret: string;
  readonly key: string;
  readonly subnet: string;
}

async function make(): Promise<Made> {
  const owner = ['--name', 'A', '--trunk-group', 'tg'];
  const client = await json(['client', 'create', ...owner, '--scope', 'calls:view']);
  const secret = await json(['client-secret', 'create', String(client['client_id'])]);
  const key = await json(['api-key', 'create', ...owner, '--allow', 'a=203.0.113.0/24']);
  const [subnet] = key['acl'] as readonly { readonly subnet_id: string }[];
  return {
    client: String(client['client_id']),
    secret: String(secret['secret_id']),
    key: String(key['key_id']),
    subnet: subnet?.subnet_id ?? '',
  };
}

/** Every change of something that exists, with its options. */
const changes: Readonly<Record<string, (made: Made) => readonly string[]>> = {
  'client update': ({ client }) => [client, '--name', 'B'],
  'client disable': ({ client }) => [client],
  'client enable': ({ client }) => [client],
  'client revoke-tokens': ({ client }) => [client],
  'client delete': ({ client }) => [client],
  'client-secret create': ({ client }) => [client],
  'client-secret update': ({ client, secret }) => [client, secret, '--name', 'B'],
  'client-secret rotate': ({ client }) => [client],
  'client-secret disable': ({ client, secret }) => [client, secret],
  'client-secret enable': ({ client, secret }) => [client, secret],
  'client-secret delete': ({ client, secret }) => [client, secret],
  'api-key update': ({ key }) => [key, '--name', 'B'],
  'api-key rotate': ({ key }) => [key],
  'api-key enable': ({ key }) => [key],
  'api-key disable': ({ key }) => [key],
  'api-key delete': ({ key }) => [key],
  'api-key-subnet add': ({ key }) => [key, '--name', 'b', '--address', '198.51.100.1'],
  'api-key-subnet remove': ({ key, subnet }) => [key, subnet, '--allow-any-source'],
};

async function read({ client, key }: Made) {
  return {
    client: await json(['client', 'show', client]),
    key: await json(['api-key', 'show', key]),
  };
}

describe('--if-version', () => {
  it('is an option of every command that changes a client, a secret or an API key', () => {
    const groups = ['client', 'client-secret', 'api-key', 'api-key-subnet'];
    const notOfOne = [
      'client create',
      'client import',
      'client delete-undeclared',
      'api-key create',
    ];
    const found = commandGroups
      .filter(({ name }) => groups.includes(name))
      .flatMap(({ name, commands }) => commands.map((command) => `${name} ${command.name}`))
      .filter((name) => !/ (?:list|show)$/.test(name) && !notOfOne.includes(name));
    expect(found.toSorted()).toEqual(Object.keys(changes).toSorted());
  });

  it.each(Object.entries(changes))(
    '%s is made only of the version that was seen',
    async (name, rest) => {
      const made = await make();
      const command = [...name.split(' '), ...rest(made), '--yes'];
      const before = await read(made);
      const stale = await authctl([...command, '--if-version', '9', '--json']);
      expect(stale.exitCode).toBe(1);
      expect(stale.stdout).toBe('');
      expect(JSON.parse(stale.stderr)).toMatchObject({
        error: 'conflict',
        error_description: expect.stringContaining('version 9') as string,
      });
      expect(await read(made)).toEqual(before);
      const { version } = name.startsWith('client') ? before.client : before.key;
      const done = await authctl([...command, '--if-version', String(version), '--json']);
      expect([done.exitCode, done.stderr]).toEqual([0, expect.anything()]);
    },
  );
});
