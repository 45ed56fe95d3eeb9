import { beforeAll, describe, expect, it } from 'vitest';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json } = useLocalCli();

const limit = ['--only-trunk-group', 'tg-1', '--only-trunk-group', 'tg-2'];
const options = (group: string) => ['--name', `of ${group}`, '--trunk-group', group];

let foreignClient = '';
let foreignKey = '';
beforeAll(async () => {
  const scope = ['--scope', 'calls:view'];
  await json(['client', 'create', ...options('tg-1'), ...scope]);
  await json(['api-key', 'create', ...options('tg-2')]);
  const client = await json(['client', 'create', ...options('tg-9'), ...scope]);
  const key = await json(['api-key', 'create', ...options('tg-9')]);
  foreignClient = String(client['client_id']);
  foreignKey = String(key['key_id']);
});

async function names(...command: readonly string[]): Promise<readonly unknown[]> {
  const { items } = await json([...command, ...limit]);
  return (items as readonly { readonly name: string }[]).map(({ name }) => name);
}

describe('--only-trunk-group', () => {
  it('lists only what belongs to the groups', async () => {
    expect(await names('client', 'list')).toEqual(['of tg-1']);
    expect(await names('api-key', 'list')).toEqual(['of tg-2']);
    expect(await names('client', 'list', '--trunk-group', 'tg-9')).toEqual([]);
    const { items } = await json(['audit', 'list', ...limit]);
    expect((items as readonly object[]).length).toBe(2);
  });

  it.each([
    ['client show', () => foreignClient],
    ['client disable', () => foreignClient],
    ['client delete', () => foreignClient],
    ['client-secret create', () => foreignClient],
    ['api-key show', () => foreignKey],
    ['api-key disable', () => foreignKey],
  ])('%s finds nothing of another group', async (command, id) => {
    const refused = await authctl([...command.split(' '), id(), '--yes', ...limit]);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('there is no ');
  });

  it('is refused for signing keys', async () => {
    const refused = await authctl(['signing-key', 'list', ...limit]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('signing keys concern every service trunk group');
  });
});
