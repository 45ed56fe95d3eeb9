import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { tableName } from '../../../contract/tables.ts';
import { clientIdOf, makeClient } from '../../../lab/support/clients.ts';
import { controlCharacters } from '../../support/control-characters.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

/** Clears the screen, sets the title, rings, and turns what follows around. */
const attack = '\nforged line \r\u001b[2J\u001b]0;title\u0007\u009b31m\u202e';

beforeAll(async () => {
  const dynamodb = createDynamoDbClient(service().aws);
  // As a colleague's script, or a version before this one, may have written it.
  await createDynamoDbClientStore(dynamodb, tableName('local', 'clients'), {
    consistentRead: true,
  }).create(makeClient({ name: `Billing${attack}` }));
  dynamodb.destroy();
});

// Every other text goes through the same place: test/cli/terminal.test.ts.
it.each([[[]], [['--json']]])('a name from outside stays text, with %j', async (form) => {
  const commands = [
    ['client', 'list'],
    ['client', 'show', clientIdOf(1)],
    ['client', 'show', attack.trim()],
  ];
  for (const command of commands) {
    const { stdout, stderr } = await authctl([...command, ...form]);
    expect(stdout + stderr).not.toMatch(controlCharacters);
    expect(stdout + stderr).not.toMatch(/^\s*forged line/m);
    expect(stdout + stderr).toContain(String.raw`\u001b[2J`);
  }
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
