import { createHash } from 'node:crypto';
import type { OperationName } from '../../adapters/management.ts';
import type { ManagementAnswer } from '../../contract/management/request.ts';
import { createTestKeys } from '../../lab/support/verifier-world.ts';
import { grantIssuer, type World } from '../adapters/management/world.ts';
import { askedWorld } from '../lambda/management/limited-world.ts';

/** The trunk group of the customer that is looked at. `validCalls` are about it. */
export const ownGroup = 'tg-1001';
/** The trunk group of the hostile customer. */
export const foreignGroup = 'tg-2002';

type Ask = (operation: OperationName, input: object) => Promise<unknown>;

/** Two customers behind one management function, over the same tables. */
export interface TwoCustomers {
  readonly world: World;
  /** The customer that is looked at. */
  readonly grace: Ask;
  /** The hostile customer. */
  readonly mallory: Ask;
  /** A request of the hostile customer with a body of its own. */
  readonly send: (request: object) => Promise<ManagementAnswer>;
  /** A URL that does not answer from then on: the fetch ends with the error of its time limit. */
  readonly hangs: (url: string) => void;
  /** What was read, written and fetched since the last call, in order. */
  readonly takeCalls: () => readonly string[];
}

const stores = [
  'clients',
  'apiKeys',
  'identityProviders',
  'providerOwners',
  'providerGrants',
  'signingKeys',
  'trunkGroupLimits',
  'audit',
  'auditPages',
  'auditHistory',
  'dailyReport',
] as const;

/** Records the name of each method that is called. */
function recordCalls<T extends object>(name: string, store: T, calls: string[]): T {
  return new Proxy(store, {
    get(target, property, receiver) {
      const value: unknown = Reflect.get(target, property, receiver);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        calls.push(`${name}.${String(property)}`);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

/** What one customer draws does not depend on what the other draws. */
function drawBy(name: () => string): (length: number) => Uint8Array {
  const draws = new Map<string, number>();
  return (length) => {
    const count = (draws.get(name()) ?? 0) + 1;
    draws.set(name(), count);
    return createHash('shake256', { outputLength: length }).update(`${name()} ${count}`).digest();
  };
}

export async function createTwoCustomers(): Promise<TwoCustomers> {
  const { world, ask, send } = await askedWorld({}, ownGroup);
  for (const serviceTrunkGroup of [ownGroup, foreignGroup]) {
    world.limits.set(serviceTrunkGroup, { serviceTrunkGroup, version: 1, ownProviders: 100 });
  }
  // What the staff granted it: nothing of the other's.
  grantIssuer(world, 'https://wicked.example.net', [foreignGroup]);
  const calls: string[] = [];
  const hanging = new Set<string>();
  let asking = 'grace';
  const { context } = world;
  const fetchJson = async (url: string) => {
    calls.push(`fetch ${url}`);
    if (hanging.has(url)) throw new Error('the fetch took too long');
    return context.fetchJson(url);
  };
  const recorded = Object.fromEntries(
    stores.map((name) => [name, recordCalls(name, context[name], calls)]),
  );
  const clock = {
    get now() {
      return world.now;
    },
  };
  Object.assign(world, {
    context: Object.assign(context, recorded, {
      drawBytes: drawBy(() => asking),
      providerKeys: createTestKeys(clock, ({ jwksUri }) => fetchJson(jwksUri)),
    }),
  });
  const asPerson = (name: string, group: string) => ({
    person: { actor: `https://idp.example.net#${name}`, role: 'manager' },
    trunk_groups: [group],
  });
  const askAs =
    (name: string, group: string): Ask =>
    async (operation, input) => {
      asking = name;
      return ask(operation, input, 'portal', asPerson(name, group));
    };
  return {
    world,
    grace: askAs('grace', ownGroup),
    mallory: askAs('mallory', foreignGroup),
    send: async (request) => {
      asking = 'mallory';
      return send({ ...request, ...asPerson('mallory', foreignGroup) }, 'portal');
    },
    hangs: (url) => hanging.add(url),
    takeCalls: () => calls.splice(0),
  };
}
