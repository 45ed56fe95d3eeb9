import { describe, expect, it } from 'vitest';
import { clientPath, readPathPart } from '../../portal/client-path.ts';
import { createPortalWorld } from './portal-world.ts';

const hostile = [
  'new',
  'export',
  '...',
  '/',
  '//evil.example/x',
  'a/b?c#d&e',
  '~YQ',
  `"'><b>`,
  '-rf;$(x)',
];

describe('the pages of an imported client', () => {
  it.each(hostile.map((id) => (id.length < 3 ? id.padEnd(3, '/') : id)))(
    'show it, link to it and change it with the id %j',
    async (clientId) => {
      const world = await createPortalWorld({ basePath: '/portal' });
      const [existing] = (await world.management.listClients()).items;
      await world.management.importClient({
        clientId,
        secret: 'q7k2m9x4v1t8r3w6z0c5b2n8j4h1g7f3',
        name: 'Moved',
        serviceTrunkGroup: existing?.serviceTrunkGroup ?? '',
        scopes: existing?.scopes ?? [],
      });
      const address = `/portal${clientPath(clientId)}`;
      expect(address).toMatch(/^\/portal\/clients\/~[\w-]+$/);
      expect(readPathPart(address.split('/').at(-1) ?? '')).toBe(clientId);
      expect(await (await world.get('/portal/clients')).text()).toContain(`href="${address}"`);
      const page = await (await world.get(address)).text();
      expect(page).toContain('<h1>Moved');
      expect(page).not.toContain('<b>');
      for (const link of page.match(/(?:href|action)="[^"]*clients\/[^"]*"/g) ?? []) {
        expect(link).toMatch(
          /="\/portal\/clients(?:\/(?:~[\w-]+[/\w-]*|new|export))?(?:\?[^"]*)?"$/,
        );
      }
      const disabled = await world.post(`${address}/disable`, { ifVersion: '1' });
      expect(disabled.headers.get('location')).toBe(`${address}?done=client-disabled`);
      expect((await world.management.findClient(clientId)).enabled).toBe(false);
      const history = await (await world.get(`${address}/history`)).text();
      expect(history).toContain('Disabled');
      const form = await (await world.get(`${address}/secrets/new`)).text();
      expect(form).toContain(`action="${address}/secrets"`);
    },
  );
});
