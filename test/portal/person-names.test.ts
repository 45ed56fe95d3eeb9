import { describe, expect, it } from 'vitest';
import type { Management, ManagementCaller } from '../../adapters/management.ts';
import { createWorld } from '../adapters/management/world.ts';
import { createPortalWorld, personOf } from './portal-world.ts';

const ada = 'https://login.example.com#ada';

describe('the history and the audit', () => {
  it('show the name of a person next to the subject', async () => {
    const world = await createPortalWorld();
    const { clientId, get, people, management } = world;
    const actor = async () => ada;
    await management.forCaller({ actor }).setClientEnabled(clientId, false);
    people.set(ada, { subject: ada, name: 'Ada <b>Lovelace</b>' });
    for (const path of ['/audit', `/clients/${clientId}/history`]) {
      expect(await (await get(path)).text()).toContain(
        `<bdi>Ada &lt;b&gt;Lovelace&lt;/b&gt;</bdi> <code>${ada}</code>`,
      );
    }
  });

  it('link an erased name to no provider', async () => {
    const world = await createPortalWorld();
    await world.management.erasePersonName(ada);
    const text = await (await world.get('/audit')).text();
    expect(text).toContain('Erased a name');
    expect(text).toContain(`<p class="entry-subject"><code>${ada}</code></p>`);
  });
});

describe('the portal', () => {
  it('gives the name of the person with each request', async () => {
    const { management } = await createWorld();
    const names: unknown[] = [];
    const watched = (inner: Management): Management => ({
      ...inner,
      forCaller: (caller: ManagementCaller) => {
        names.push(caller.name);
        return watched(inner.forCaller(caller));
      },
    });
    const world = await createPortalWorld({ management: watched(management) });
    world.signInAs(personOf('manager', ['tg-1001']));
    await world.get('/clients');
    expect(new Set(names)).toEqual(new Set(['manager@example.com']));
  });
});
