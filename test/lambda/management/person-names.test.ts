import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { describeStops } from '../../../core/stops.ts';
import { askedWorld, newClient } from './restricted-world.ts';

const ada = 'https://login.example.com#ada';
const grace = 'https://login.example.com#grace';
const linus = 'https://login.example.com#linus';

interface Asked {
  readonly name?: string | undefined;
  readonly actor?: string;
  readonly role?: 'manager' | 'administrator';
  readonly groups?: readonly string[] | undefined;
}

async function start() {
  const asked = await askedWorld({ portalReach: { administrators: true } });
  const { world, send } = asked;
  let keys = 0;
  const person = ({ name, actor = ada, role = 'manager', groups = ['tg-1001'] }: Asked) => ({
    person: { actor, role, name },
    trunk_groups: role === 'administrator' ? undefined : groups,
  });
  const create = async (by: Asked) => {
    keys += 1;
    const [serviceTrunkGroup = 'tg-1001'] = by.groups ?? [];
    const client = { ...newClient, serviceTrunkGroup, idempotencyKey: `key-${10_000 + keys}` };
    const request = { operation: 'createClient', input: { client }, ...person(by) };
    return send(request, 'portal');
  };
  const namesSeenBy = async (by: Asked) => {
    const operation = 'listAudit';
    const { outcome } = await send({ operation, input: {}, ...person(by) }, 'portal');
    const { items } = ('result' in outcome ? outcome.result : {}) as {
      readonly items: readonly {
        readonly actor: string;
        readonly actorName?: string;
        readonly actorIsStaff?: true;
      }[];
    };
    return new Map(
      items.map(({ actor, actorName, actorIsStaff }) => [actor, actorIsStaff ?? actorName]),
    );
  };
  return { ...asked, people: world.people, create, namesSeenBy };
}

const stored = (name: string, trunkGroups: readonly string[] = ['tg-1001']) => ({
  subject: ada,
  name,
  trunkGroups,
});

describe('the name of a person', () => {
  it('is with what the person stopped, for who may read it, and is not stored there', async () => {
    const { world, send, create } = await start();
    const { clientId } = world;
    await create({ name: 'Ada Lovelace' });
    const disable = async (actor: string, groups: readonly string[] | undefined) => {
      world.clients.set(clientId, { ...(world.clients.get(clientId) as Client), stops: undefined });
      const person = { actor, role: 'administrator', name: 'Grace' } as const;
      const input = { clientId, enabled: false };
      await send({ operation: 'setClientEnabled', input, person, trunk_groups: groups }, 'portal');
    };
    const seen = async (groups: readonly string[] | undefined) => {
      const person = { actor: linus, role: 'administrator' } as const;
      const asked = { operation: 'findClient', input: { clientId }, person, trunk_groups: groups };
      const { outcome } = await send(asked, 'portal');
      const { stops } = (outcome as { readonly result: Client }).result;
      return [/\((.*?)\) at/.exec(describeStops(stops).join())?.[1], stops?.person?.by];
    };
    await disable(ada, ['tg-1001']);
    expect(await seen(['tg-1001'])).toEqual(['"Grace"', ada]);
    expect(await seen(undefined)).toEqual(['"Grace"', ada]);
    expect(JSON.stringify(world.clients.get(clientId))).not.toContain('Grace');
    await disable(grace, undefined);
    expect(await seen(['tg-1001'])).toEqual(['Platform staff', 'Platform staff']);
    expect(await seen(undefined)).toEqual(['"Grace"', grace]);
  });

  it('is recorded by a change, as the provider last gave it', async () => {
    const { create, people } = await start();
    await create({ name: 'Ada Lovelace' });
    expect([...people.values()]).toEqual([stored('Ada Lovelace')]);
    await create({ name: 'Ada King', groups: ['tg-3003', 'tg-2002'] });
    expect([...people.values()]).toEqual([stored('Ada King', ['tg-2002', 'tg-3003'])]);
  });

  it('is recorded by nothing that the audit does not name the person for', async () => {
    const { send, people, world } = await start();
    const person = { actor: ada, role: 'manager', name: 'Ada' };
    const asker = { person, trunk_groups: ['tg-1001'] };
    await send({ operation: 'listClients', input: {}, ...asker }, 'portal');
    const changes = { scopes: ['none:such'], ifVersion: 1 };
    const input = { clientId: world.clientId, changes };
    await send({ operation: 'updateClient', input, ...asker }, 'portal');
    expect(people.size).toBe(0);
  });

  it('is refused of a caller that is no portal', async () => {
    const { send, people } = await start();
    const person = { actor: ada, role: 'manager', name: 'Ada' };
    const request = { operation: 'createClient', input: { client: newClient }, person };
    const { outcome } = await send(request, 'administrator');
    expect(outcome).toMatchObject({ error: { class: 'AwsCallerError' } });
    expect(people.size).toBe(0);
  });

  it.each([
    ['', 'empty'],
    ['a'.repeat(129), 'too long'],
    ['Ada\u202Egnp', 'a change of direction'],
    ['Ada\u0000', 'a control character'],
    ['A\u200Bda', 'an invisible character'],
    ['ada', 'the subject'],
  ])('is not recorded if it is %j: %s', async (name) => {
    const { create, people } = await start();
    const { outcome } = await create({ name });
    expect(outcome).toMatchObject({ result: { existed: false } });
    expect(people.size).toBe(0);
  });

  it('is not a reason for a change to fail', async () => {
    const { create, world } = await start();
    const recordPersonName = vi.fn().mockRejectedValue(new Error('DynamoDB'));
    Object.assign(world.context, {
      personNames: { ...world.context.personNames, recordPersonName },
    });
    const { outcome } = await create({ name: 'Ada' });
    expect(outcome).toMatchObject({ result: { existed: false } });
    expect(recordPersonName).toHaveBeenCalledOnce();
  });

  it('is in no record of the audit', async () => {
    const { create, world } = await start();
    const answer = await create({ name: 'Ada Lovelace' });
    expect(JSON.stringify([world.audit, answer])).not.toContain('Lovelace');
  });
});

describe('a change', () => {
  it('has the name for the staff, and for people of a group of that person, who see the staff as such', async () => {
    const { create, namesSeenBy } = await start();
    await create({ name: 'Ada', groups: ['tg-1001', 'tg-2002'] });
    await create({ name: 'Grace', actor: grace });
    // She belongs to another customer now.
    await create({ name: 'Grace', actor: grace, groups: ['tg-3003'] });
    await create({ name: 'Linus', actor: linus, role: 'administrator' });
    const staff = await namesSeenBy({ actor: linus, role: 'administrator' });
    expect([ada, grace, linus].map((one) => staff.get(one))).toEqual(['Ada', 'Grace', 'Linus']);
    const own = await namesSeenBy({ groups: ['tg-1001'] });
    expect([...own]).toEqual(
      expect.arrayContaining([
        [ada, 'Ada'],
        [grace, undefined],
        [linus, true],
      ]),
    );
  });

  it('of a person with the name of the staff does not seem to be of the staff', async () => {
    const { create, namesSeenBy } = await start();
    await create({ name: 'Platform staff' });
    expect((await namesSeenBy({ groups: ['tg-1001'] })).get(ada)).toBe('Platform staff');
  });

  it('is shown without a name if names cannot be read', async () => {
    const { create, namesSeenBy, world } = await start();
    await create({ name: 'Ada' });
    const findPersonNames = vi.fn().mockRejectedValue(new Error('DynamoDB'));
    Object.assign(world.context, {
      personNames: { ...world.context.personNames, findPersonNames },
    });
    const seen = await namesSeenBy({});
    expect(seen.get(ada)).toBeUndefined();
    expect(seen.has(ada)).toBe(true);
  });
});

describe('an erased name', () => {
  const erase = { operation: 'erasePersonName', input: { subject: ada } };

  it('is shown no more, and no later change records it', async () => {
    const { create, namesSeenBy, send, people, world } = await start();
    await create({ name: 'Ada' });
    expect((await send(erase, 'administrator')).outcome).toEqual({ result: undefined });
    await create({ name: 'Ada' });
    expect([...people]).toEqual([[ada, undefined]]);
    expect([...(await namesSeenBy({}))]).toContainEqual([ada, undefined]);
    expect(world.audit).toContainEqual(
      expect.objectContaining({ action: 'person_name.delete', subject: ada, outcome: 'done' }),
    );
  });

  it('can be one that was never recorded', async () => {
    const { create, send, people } = await start();
    await send(erase, 'administrator');
    await create({ name: 'Ada' });
    expect(people.get(ada)).toBeUndefined();
  });

  it.each([
    ['a customer', { person: { actor: grace, role: 'manager' }, trunk_groups: ['tg-1001'] }],
    [
      'a limited administrator',
      { person: { actor: grace, role: 'administrator' }, trunk_groups: ['tg-1001'] },
    ],
  ])('is nothing that %s can make', async (_, asker) => {
    const { create, send, people } = await start();
    await create({ name: 'Ada' });
    const { outcome } = await send({ ...erase, ...asker }, 'portal');
    expect(outcome).toMatchObject({ error: {} });
    expect(people.get(ada)?.name).toBe('Ada');
  });
});
