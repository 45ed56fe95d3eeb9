import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
  await json(['provider', 'register', provider.discoveryUrl]);
  const scopes = ['messaging:view', 'messaging:manage', 'calls:view', 'calls:manage'];
  const common = ['--name', 'A name that says very much about a client', '--trunk-group', 'tg-1'];
  const granted = scopes.flatMap((scope) => ['--scope', scope]);
  await json(['client', 'create', ...common, ...granted]);
  const sources = ['--allow', 'office=203.0.113.0/24', '--allow', 'home=2001:db8:1234:5678::/64'];
  await json(['api-key', 'create', ...common, ...sources]);
  return () => provider.close();
});

function lists(): readonly (readonly string[])[] {
  const { clientId } = service();
  return [
    ['client', 'list'],
    ['client-secret', 'list', clientId],
    ['api-key', 'list'],
    ['provider', 'list'],
    ['scope', 'list'],
    ['signing-key', 'list'],
    ['audit', 'list'],
    ['explain', 'token', '--client-id', clientId],
  ];
}

function linesOf(text: string): readonly string[] {
  return stripVTControlCharacters(text).split('\n');
}

describe('a terminal of 80 columns', () => {
  it('wraps no line of any list, and shows every value', async () => {
    for (const command of lists()) {
      const narrow = await authctl(command, { isTerminal: true, columns: 80 });
      const tooLong = linesOf(narrow.stdout).filter((line) => line.length > 80);
      expect(tooLong, command.join(' ')).toEqual([]);
      // Spans of time in the list of signing keys go on.
      if (command[0] === 'signing-key') continue;
      const { stdout } = await authctl(command);
      const text = linesOf(narrow.stdout).join('').replaceAll(/\s/g, '');
      for (const word of stdout.trim().split(/\s+/)) expect(text).toContain(word);
    }
  });

  it('shows a block for each item of a wide list', async () => {
    const { stdout } = await authctl(['client', 'list'], { isTerminal: true, columns: 80 });
    const [first = ''] = stripVTControlCharacters(stdout).split('\n\n');
    expect(first.split('\n')[0]).toMatch(/^CLIENT_ID +client_/);
    expect(first).toMatch(/^SCOPES +messaging:view /m);
  });

  it('keeps a table that fits a table', async () => {
    const { stdout } = await authctl(['scope', 'list'], { isTerminal: true, columns: 80 });
    expect(linesOf(stdout)[0]).toMatch(/^SCOPE +/);
    expect(linesOf(stdout)[1]).toMatch(/^\w+:\w+ +/);
  });
});

describe('a pipe', () => {
  it('gets a table with a line for each item, however wide', async () => {
    const { stdout } = await authctl(['client', 'list'], { columns: 80 });
    expect(stdout).toMatch(/^CLIENT_ID +NAME +/);
    expect(stdout).not.toContain('\n\n');
  });
});
