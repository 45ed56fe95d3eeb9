import { describe, expect, it } from 'vitest';
import { commandSteps, fillLine, type Made } from '../../../lab/suites/deploy/command-steps.ts';
import { validCalls, versionedChanges } from '../../adapters/management/valid-calls.ts';
import { createWorld } from '../../adapters/management/world.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json } = useLocalCli();

async function make(): Promise<Made> {
  const owner = ['--name', 'A', '--trunk-group', 'tg'];
  const client = await json(['client', 'create', ...owner, '--scope', 'calls:view']);
  const secret = await json(['client-secret', 'create', String(client['client_id'])]);
  const key = await json(['api-key', 'create', ...owner, '--allow', 'a=198.51.100.0/24']);
  const [subnet] = key['acl'] as readonly { readonly subnet_id: string }[];
  return {
    clientId: String(client['client_id']),
    secretId: String(secret['secret_id']),
    keyId: String(key['key_id']),
    subnetId: subnet?.subnet_id ?? '',
  };
}

/** Every change of a client, a secret or an API key that exists. */
const calls = validCalls(await createWorld());
const changing = versionedChanges.map((name) => calls[name].command);
// One operation has two commands.
const lines = commandSteps
  .flat()
  .filter(({ command }) => [...changing, 'client enable', 'api-key enable'].includes(command));

async function read({ clientId = '', keyId = '' }: Made) {
  return {
    client: await json(['client', 'show', clientId]),
    key: await json(['api-key', 'show', keyId]),
  };
}

describe('--if-version', () => {
  it.each(lines)('$command is made only of the version that was seen', async ({ line }) => {
    const made = await make();
    const command = [...fillLine(line, made), '--yes'];
    const before = await read(made);
    const stale = await authctl([...command, '--if-version', '9', '--json']);
    expect(stale.exitCode).toBe(1);
    expect(stale.stdout).toBe('');
    expect(JSON.parse(stale.stderr)).toMatchObject({
      error: 'conflict',
      error_description: expect.stringContaining('version 9') as string,
    });
    expect(await read(made)).toEqual(before);
    const { version } = line.startsWith('client') ? before.client : before.key;
    const done = await authctl([...command, '--if-version', String(version), '--json']);
    expect([done.exitCode, done.stderr]).toEqual([0, expect.anything()]);
  });
});
