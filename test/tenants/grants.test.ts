import { describe, expect, it } from 'vitest';
import { createPortal } from '../../portal/create-portal.ts';
import { createSharedWorld, issuer, managerOf, under } from '../lambda/management/shared-issuer.ts';
import { origin } from '../portal/portal-world.ts';
import { createTestFunction } from '../support/management-function.ts';
import { ids, ownLiteral } from './hostile-acts.ts';

/** Two customers share a CI issuer: Grace has `repo:globex/` and a client, Ada has `repo:acme/`. */
async function createSharedIssuer() {
  const asked = await createSharedWorld();
  const { world, grant, grace } = asked;
  await grant('repo:globex/', ['tg-globex']);
  await grant('repo:acme/', ['tg-acme']);
  await grace('createClient', under('repo:globex/app:ref:refs/heads/*', 'tg-globex'));
  const ofGrace = () => [
    [...world.clients.values()].filter((one) => one.serviceTrunkGroup === 'tg-globex'),
    world.grants.get(`subject ${issuer}`)?.grants.find(({ value }) => value === 'repo:globex/'),
  ];
  return { ...asked, stranger: managerOf(asked, 'tg-nobody'), ofGrace };
}

describe('a client id of another customer', () => {
  it.each(ids)('%j is not created by a customer or a stranger', async (id) => {
    const { ada, stranger, ofGrace, world } = await createSharedIssuer();
    const before = JSON.stringify(ofGrace());
    const outcome = await ada('createClient', under(id, 'tg-acme'));
    // Refused for the id, and for nothing else.
    expect(outcome.error?.field).toBe(id === ownLiteral ? undefined : 'externalClientId');
    expect(outcome.error === undefined).toBe(id === ownLiteral);
    expect((await stranger('createClient', under(id, 'tg-nobody'))).error).toBeDefined();
    for (const group of ['tg-globex', 'tg-acme']) {
      expect((await stranger('createClient', under(id, group))).error).toBeDefined();
    }
    const more = { allowOtherGrant: true };
    expect((await ada('createClient', under(id, 'tg-globex', more))).error).toBeDefined();
    if (id !== ownLiteral) {
      expect((await ada('createClient', under(id, 'tg-acme', more))).error).toBeDefined();
      const ofAda = [...world.clients.values()].filter(
        (one) => one.serviceTrunkGroup === 'tg-acme',
      );
      expect(ofAda).toEqual([]);
    }
    expect(JSON.stringify(ofGrace())).toBe(before);
  });

  it.each(ids)(
    '%j is not created in the portal, nor in the name of its trunk group',
    async (id) => {
      const { world, ofGrace } = await createSharedIssuer();
      const before = JSON.stringify(ofGrace());
      let groups = ['tg-acme'];
      const portal = createPortal({
        management: createTestFunction(world.context).through('portal'),
        identify: async () => ({
          name: 'Ada',
          role: 'manager',
          trunkGroups: groups,
          actor: async () => 'https://idp.example.net#ada',
        }),
        origins: [origin],
      });
      const post = async (serviceTrunkGroup: string) => {
        const { client } = under(id, serviceTrunkGroup);
        const given = { provider: issuer, externalClientId: id, allowsUserTokens: 'on' };
        const form = { name: client.name, scopes: 'calls:view', serviceTrunkGroup, ...given };
        const body = new URLSearchParams({
          ...form,
          allowOtherGrant: 'on',
          requestId: `request-${client.idempotencyKey}`,
        });
        const headers = { origin, 'sec-fetch-site': 'same-origin' };
        const request = new Request(`${origin}/clients`, { method: 'POST', headers, body });
        const response = await portal.fetch(request);
        // The id is the problem, and not another field.
        const text = await response.text();
        if (response.status === 422) {
          expect(text).toMatch(/There is a problem[^]{0,300}Client id at the provider/);
        }
        return response.status;
      };
      expect(await post('tg-acme')).toBe(id === ownLiteral ? 303 : 422);
      expect([404, 422]).toContain(await post('tg-globex'));
      groups = ['tg-nobody'];
      for (const group of ['tg-nobody', 'tg-acme', 'tg-globex']) {
        expect([404, 422]).toContain(await post(group));
      }
      expect(JSON.stringify(ofGrace())).toBe(before);
    },
  );

  it('is not created by 40 calls at once', async () => {
    const { ada, world } = await createSharedIssuer();
    const calls = Array.from({ length: 40 }, (_, index) =>
      ada('createClient', under(ids[index % 4] ?? '', 'tg-acme')),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ error }) => error !== undefined)).toBe(true);
    expect([...world.clients.values()].some((one) => one.serviceTrunkGroup === 'tg-acme')).toBe(
      false,
    );
  });
});

describe('grants', () => {
  it.each([
    'setSubjectGrant',
    'setIssuerGrant',
    'listGrants',
    'checkGrants',
    'setProviderTrunkGroups',
    'deleteProvider',
  ])('are not reached by a customer through %s', async (operation) => {
    const { ada, ofGrace, world } = await createSharedIssuer();
    const before = JSON.stringify(ofGrace());
    const grant = { value: 'repo:globex/', trunkGroups: ['tg-acme'], ifVersion: 2 };
    const owners = { trunkGroups: ['tg-acme'] };
    const inputs = [{ issuer, grant }, { issuer, owners }, { issuer, options: {} }, {}];
    for (const input of inputs) {
      const { error } = await ada(operation, input);
      expect(error).toBeDefined();
      expect(error?.text).not.toMatch(/globex|grace/i);
    }
    expect(JSON.stringify(ofGrace())).toBe(before);
    expect(world.providers.has(issuer)).toBe(true);
  });

  it.each(['repo:globex/*', 'repo:*', '*', 'repo:', 'repo', 'repo:globex/app/*'])(
    'do not have the value %j next to that of another customer',
    async (value) => {
      const { grant, ofGrace } = await createSharedIssuer();
      const before = JSON.stringify(ofGrace());
      const { error } = await grant(value, ['tg-acme']);
      // A whole id that is not within the grant of another one is a grant of its own.
      if (value !== 'repo') expect(error).toBeDefined();
      expect(JSON.stringify(ofGrace())).toBe(before);
    },
  );

  it('that are withdrawn, or of a provider that is deleted and registered again, give nothing more', async () => {
    const { ask, ada, grant, register, world, grace } = await createSharedIssuer();
    await grant('repo:acme/', []);
    const id = 'repo:acme/app:ref:refs/heads/main';
    expect((await ada('createClient', under(id, 'tg-acme'))).error).toBeDefined();
    for (const { clientId, version, provider } of world.clients.values()) {
      if (provider === undefined) continue;
      await ask('deleteClient', { clientId, options: { ifVersion: version } });
    }
    const ifRegistration = world.providers.get(issuer)?.registrationId;
    const gone = await ask('deleteProvider', { issuer, options: { ifRegistration } });
    expect(gone.error).toBeUndefined();
    expect((await register()).error).toBeUndefined();
    for (const taken of [id, 'repo:globex/app:ref:refs/heads/main']) {
      expect((await ada('createClient', under(taken, 'tg-acme'))).error).toBeDefined();
    }
    const own = under('repo:globex/app:ref:refs/heads/main', 'tg-globex');
    expect((await grace('createClient', own)).error).toBeUndefined();
  });
});
