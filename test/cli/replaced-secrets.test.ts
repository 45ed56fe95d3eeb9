import { expect, it } from 'vitest';
import type { Cli } from '../../cli/cli.ts';
import { clientSecretCommands } from '../../cli/commands/client-secret.ts';
import { formatDay } from '../../core/time.ts';
import { createWorld } from '../adapters/management/world.ts';

it('client-secret list says that callers have replaced a secret', async () => {
  const { management, clients, clientId, now } = await createWorld();
  const client = await management.findClient(clientId);
  const old = {
    ...client.secrets[0],
    secretId: 'secret_1',
    createdAt: now - 60,
    expiresAt: now + 60,
    hash: '',
  };
  const newer = { ...old, secretId: 'secret_2', createdAt: now, expiresAt: undefined };
  const secrets = [old, { ...newer, lastUsedOn: formatDay(now) }];
  clients.set(clientId, { ...client, secrets });
  const printed: unknown[] = [];
  const output: Pick<Cli['output'], 'printList'> = {
    printList: (items, { row, view }) => {
      for (const one of items) printed.push([row(one)['status'], view(one)['replaced']]);
    },
  };
  const list = clientSecretCommands.commands.find(({ name }) => name === 'list');
  await list?.run(
    { management, now: () => now, output } as never,
    [clientId] as never,
    {} as never,
  );
  expect(printed).toEqual([
    ['replaced', true],
    ['active', undefined],
  ]);
});
