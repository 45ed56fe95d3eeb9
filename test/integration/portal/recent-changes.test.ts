import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import { createPortal } from '../../../portal/create-portal.ts';
import { testConfig } from '../../support/management.ts';
import { startIndexedTables } from '../adapters/dynamodb-tables.ts';

const origin = 'https://portal.example.com';

/** Instances of a portal for a manager of tg-1, over an index that gets each write when told to. */
async function start() {
  const writes: (() => void)[] = [];
  const indexTiming = { defer: (write: () => void) => writes.push(write) };
  const { aws } = await startIndexedTables(indexTiming);
  const openInstance = () =>
    createPortal({
      management: bindManagement(
        createManagementContext({ config: testConfig, aws, actor: async () => 'test' }),
      ),
      identify: async () => ({ name: 'ada', role: 'manager', trunkGroups: ['tg-1'] }),
      origins: [origin],
    });
  const list = async (instance: ReturnType<typeof openInstance>, cookie?: string) => {
    const headers = cookie === undefined ? {} : { cookie };
    const response = await instance.fetch(new Request(`${origin}/clients`, { headers }));
    return response.text();
  };
  const catchUp = () => {
    for (const write of writes.splice(0)) write();
  };
  return { openInstance, list, catchUp };
}

const form = {
  name: 'Made just now',
  serviceTrunkGroup: 'tg-1',
  scopes: 'calls:view',
  tokenLifetime: '1h',
};

describe('a list of the portal, while the index is behind', () => {
  it('has what was made in this browser, from every instance; others see it when the index has it', async () => {
    const { openInstance, list, catchUp } = await start();
    const instance = openInstance();
    const created = await instance.fetch(
      new Request(`${origin}/clients`, {
        method: 'POST',
        headers: { origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(form),
      }),
    );
    expect(created.status).toBe(303);
    const [set = ''] = created.headers.getSetCookie();
    expect(set).toBe('__Host-changed=1; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=30');
    const [cookie] = set.split(';');
    expect(await list(instance, cookie)).toContain(form.name);
    expect(await list(openInstance(), cookie)).toContain(form.name);
    expect(await list(instance)).not.toContain(form.name);
    catchUp();
    expect(await list(instance)).toContain(form.name);
  });

  it('is asked for in the same way after a form that was refused', async () => {
    const { openInstance } = await start();
    const refused = await openInstance().fetch(
      new Request(`${origin}/clients`, {
        method: 'POST',
        headers: { origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...form, name: '' }),
      }),
    );
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([422, []]);
  });
});
