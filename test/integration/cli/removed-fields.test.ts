import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Management } from '../../../adapters/management.ts';
import { clientWords } from '../../../contract/management/field-words.ts';
import { plainClientFields } from '../../../contract/management/inputs.ts';
import { validCalls } from '../../adapters/management/valid-calls.ts';
import { createPortalWorld, type PortalWorld } from '../../portal/portal-world.ts';
import { runCli } from './use-authctl.ts';

const opened = vi.hoisted((): { management?: Management } => ({}));
vi.mock('../../../cli/open-management.ts', () => ({
  openManagement: async () => opened.management,
}));

type Remove = (world: PortalWorld, name: (typeof plainClientFields)[number]) => Promise<unknown>;

const ways: readonly (readonly [way: string, remove: Remove])[] = [
  ['null', ({ management, clientId }, name) => management.updateClient(clientId, { [name]: null })],
  [
    'its option',
    async ({ clientId }, name) => {
      const [option] = clientWords[name].removal;
      const config = resolve(import.meta.dirname, '../../../config/single-region.json');
      const run = await runCli(['client', 'update', clientId, `--${option}`, '--config', config]);
      expect([run.exitCode, run.stderr]).toEqual([0, '']);
    },
  ],
  [
    'an empty field of the form',
    async ({ post, clients, clientId }, name) => {
      const { version, name: named, scopes = [] } = clients.get(clientId) ?? {};
      const form = { ifVersion: String(version), name: String(named), scopes: scopes.join() };
      expect((await post(`/clients/${clientId}`, { ...form, [name]: ' ' })).status).toBe(303);
    },
  ],
];

describe.each(plainClientFields)('%s of a client', (name) => {
  it.each(ways)('is removed by %s, and then as if it was never given', async (_, remove) => {
    const world = await createPortalWorld();
    const { management, clients, clientId } = world;
    opened.management = management;
    const stored = () => clients.get(clientId)?.[name];
    const never = stored();
    const { args } = validCalls(world).updateClient;
    const { [name]: given } = args[1] as Readonly<Record<string, unknown>>;
    await management.updateClient(clientId, Object.fromEntries([[name, given]]));
    expect([never, undefined]).not.toContain(given);
    expect(stored()).toBe(given);
    await remove(world, name);
    expect(stored()).toBe(never);
  });
});
