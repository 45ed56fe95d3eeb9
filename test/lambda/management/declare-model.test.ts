import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { findChanges } from '../../../core/restore/replay.ts';
import { replayClient } from '../../../core/restore/replay-client.ts';
import { isEnabled } from '../../../core/stops.ts';
import { declareWorld, eventOf, stackId } from './declare-world.ts';

/*
 * The table of ADR 0119 as a model: a client that people made or imported, two resources of two stacks
 * that adopt it, people, repeated events and restores, in any order.
 */

const resources = { first: stackId('erp'), second: stackId('erp-eu') } as const;

type Resource = keyof typeof resources;

interface Model {
  owner?: Resource | undefined;
  undeclared: boolean;
  taken: boolean;
  person: boolean;
  stack: boolean;
  events: { id: string; at: number }[];
}

const deeds = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('put first', 'put second', 'delete first', 'delete second'),
  },
  { weight: 3, arbitrary: fc.constantFrom('disable', 'enable', 'take over') },
  { weight: 2, arbitrary: fc.nat(20).map((index) => `repeat ${index}` as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('snapshot', 'lose and restore', 'delete undeclared', 'wait'),
  },
);

const memory = 1800;

function remember(model: Model, id: string, now: number): void {
  const recent = model.events.filter((one) => one.id !== id && one.at >= now - memory);
  model.events = [...recent, { id, at: now }];
}

/** Whether the event succeeds. */
function put(model: Model, resource: Resource, id: string, now: number): boolean {
  const isSame = model.owner === resource;
  if (isSame && model.taken && !model.undeclared) return false;
  const isFree = model.owner === undefined || model.taken || model.undeclared;
  if (!isSame && !isFree) return false;
  const known = model.events.findIndex((one) => one.id === id);
  if (known >= 0 && known < model.events.length - 1) return false;
  const isDeclared = model.owner !== undefined && !model.taken && !model.undeclared;
  if (isDeclared && known >= 0) return true;
  Object.assign(model, { owner: resource, undeclared: false, taken: false, stack: false });
  remember(model, id, now);
  return true;
}

function remove(model: Model, resource: Resource, id: string, now: number): void {
  if (model.owner !== resource || model.events.some((one) => one.id === id)) return;
  model.undeclared = true;
  if (!model.taken) model.stack = true;
  remember(model, id, now);
}

/** What restoring a snapshot leaves of what was lost: every stop of either, and its owner if it is still. */
function restored(then: Model, last: Model): Model {
  const hasOwner = then.owner !== undefined && then.owner === last.owner;
  return {
    owner: hasOwner ? then.owner : undefined,
    undeclared: hasOwner && (last.undeclared || then.undeclared),
    taken: hasOwner && (last.taken || then.taken),
    person: then.person || last.person,
    stack: then.stack || last.stack,
    events: hasOwner ? then.events : [],
  };
}

function seen(client: Client): Omit<Model, 'events'> {
  const { declared, stops } = client;
  const [owner] = Object.entries(resources).find(([, stack]) => stack === declared?.stackId) ?? [];
  return {
    owner: owner as Resource | undefined,
    undeclared: declared?.undeclaredAt !== undefined,
    taken: declared?.takenOverAt !== undefined,
    person: stops?.person !== undefined,
    stack: stops?.stack !== undefined,
  };
}

async function play(isImported: boolean, history: readonly string[]): Promise<void> {
  const test = await declareWorld();
  const { management, clients, audit, context } = test.world;
  const fields = { name: 'Billing', serviceTrunkGroup: 'tg-1001', scopes: ['messaging:view'] };
  const { client } = isImported
    ? await management.importClient({
        ...fields,
        clientId: 'former-client',
        secret: hash('sha256', 'any', 'base64url'),
      })
    : await management.createClient(fields);
  const id = client.clientId;
  const stored = () => clients.get(id) as Client;
  const sent: { readonly event: object; readonly resource: Resource; readonly type: string }[] = [];
  let model: Model = { undeclared: false, taken: false, person: false, stack: false, events: [] };
  let snapshot: { readonly client: Client; readonly model: Model } | undefined;
  const send = async ({ event, resource, type }: (typeof sent)[number]) => {
    const { RequestId, Status } = await test.send(event);
    if (type === 'Delete') remove(model, resource, RequestId, test.world.now);
    else if (put(model, resource, RequestId, test.world.now) !== (Status === 'SUCCESS')) {
      throw new Error(`the event ended with ${Status}`);
    }
  };
  const deeds: Readonly<Record<string, () => Promise<unknown>>> = {
    disable: async () => {
      await management.setClientEnabled(id, false);
      model.person = true;
    },
    enable: async () => {
      const mayEnable = model.person || !model.stack;
      const done = management.setClientEnabled(id, true);
      await (mayEnable ? done : expect(done).rejects.toThrow('stays disabled'));
      model.person = false;
    },
    'take over': async () => {
      await management.updateClient(id, { takeOver: true });
      Object.assign(model, { taken: model.owner !== undefined, stack: false });
    },
    'delete undeclared': async () => {
      const found = (await management.listClients({ undeclaredFor: 0, enabled: false })).items;
      const isFound = found.some((one) => one.clientId === id && one.stops?.person === undefined);
      expect(isFound).toBe(model.undeclared && !model.taken && !model.person);
    },
    wait: async () => {
      test.world.now += memory / 2 + 1;
    },
    snapshot: async () => {
      snapshot = structuredClone({ client: stored(), model });
    },
    'lose and restore': async () => {
      if (snapshot === undefined) return;
      const stop = { at: test.world.now, by: 'who restores' };
      const options = { config: context.config, stop };
      const { item } = replayClient(snapshot.client, findChanges(audit), options);
      clients.set(id, item);
      const isChanged = item.version !== snapshot.client.version;
      model = isChanged ? restored(snapshot.model, model) : structuredClone(snapshot.model);
    },
  };
  for (const deed of history) {
    const [verb = '', which = ''] = deed.split(' ');
    if (verb === 'put' || (verb === 'delete' && which !== 'undeclared')) {
      const resource = which as Resource;
      const type = verb === 'put' ? 'Update' : 'Delete';
      const ResourceProperties = { ...fields, adoptClientId: id };
      const of = { StackId: resources[resource], PhysicalResourceId: id, RequestType: type };
      sent.push({ event: eventOf({ ...of, ResourceProperties }), resource, type });
      await send(sent.at(-1) as (typeof sent)[number]);
    } else if (verb === 'repeat') {
      const again = sent[Number(which) % sent.length];
      if (again) await send(again);
    } else await deeds[deed]?.();
    const { events: _, ...expected } = model;
    expect([deed, seen(stored())]).toEqual([deed, expected]);
    expect(isEnabled(stored())).toBe(!model.person && !model.stack);
  }
}

it('is what the table says, in histories of events, repetitions, people and restores', async () => {
  const history = fc.array(deeds, { minLength: 1, maxLength: 14, size: 'max' });
  await fc.assert(fc.asyncProperty(fc.boolean(), history, play), { numRuns: 2000 });
});
