import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { OperationName } from '../../adapters/management.ts';
import type { ManagementAnswer } from '../../contract/management/request.ts';
import { FetchError, type FetchProblem } from '../../core/identity-provider/fetch-json.ts';
import { createTestKeys } from '../../lab/support/verifier-world.ts';
import { grantIssuer, type World } from '../adapters/management/world.ts';
import { askedWorld } from '../lambda/management/restricted-world.ts';

/** The trunk group of the customer that is looked at. `validCalls` are about it. */
export const ownGroup = 'tg-1001';
/** The trunk group of the hostile customer. */
export const foreignGroup = 'tg-2002';

type Ask = (operation: OperationName, input: object) => Promise<unknown>;

type Person = 'grace' | 'mallory';

/** Two customers behind one management function, over the same tables. */
export interface TwoCustomers {
  readonly world: World;
  /** The customer that is looked at. */
  readonly grace: Ask;
  /** The hostile customer. */
  readonly mallory: Ask;
  /** A request of the hostile customer with a body of its own. */
  readonly send: (request: object) => Promise<ManagementAnswer>;
  /** A URL whose fetches end with this problem from then on: `timeout` for one that hangs. */
  readonly fails: (url: string, problem: FetchProblem) => void;
  /** What was read, written and fetched for a person since the last call, in order. */
  readonly takeCalls: (name: Person) => readonly string[];
}

const stores = [
  'clients',
  'apiKeys',
  'identityProviders',
  'providerOwners',
  'subjectGrants',
  'issuerGrants',
  'signingKeys',
  'trunkGroupLimits',
  'audit',
  'auditPages',
  'auditHistory',
  'personNames',
] as const;

/** Records the name of each method that is called. */
function recordCalls<T extends object>(name: string, store: T, record: (call: string) => void): T {
  return new Proxy(store, {
    get(target, property, receiver) {
      const value: unknown = Reflect.get(target, property, receiver);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        record(`${name}.${String(property)}`);
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
  const calls: Record<Person, string[]> = { grace: [], mallory: [] };
  const failing = new Map<string, FetchProblem>();
  // Requests of both can run at the same time.
  const asking = new AsyncLocalStorage<Person>();
  const person = () => asking.getStore() ?? 'grace';
  const record = (call: string) => calls[person()].push(call);
  const { context } = world;
  // For how long the hostile customer has waited is no time that passes for the other.
  let waited = 0;
  const clock = {
    get now() {
      return world.now + (person() === 'mallory' ? waited : 0);
    },
  };
  const readDocument = context.fetchJson;
  const fetchJson = async (url: string) => {
    record(`fetch ${url}`);
    const problem = failing.get(url);
    if (problem !== undefined) throw new FetchError(url, problem);
    return readDocument(url);
  };
  const recorded = Object.fromEntries(
    stores.map((name) => [name, recordCalls(name, context[name], record)]),
  );
  Object.assign(world, {
    context: Object.assign(context, recorded, {
      clock: () => clock.now * 1000,
      awsTime: () => ({ earliest: clock.now * 1000, latest: clock.now * 1000 }),
      wait: async (milliseconds: number) => {
        if (person() === 'mallory') waited += milliseconds / 1000;
        else world.now += milliseconds / 1000;
      },
      drawBytes: drawBy(person),
      fetchJson,
      providerKeys: createTestKeys(clock, ({ jwksUri }) => fetchJson(jwksUri)),
    }),
  });
  const asPerson = (name: Person, group: string) => ({
    person: { actor: `https://idp.example.net#${name}`, role: 'manager' },
    trunk_groups: [group],
  });
  const askAs =
    (name: Person, group: string): Ask =>
    async (operation, input) =>
      asking.run(name, () => ask(operation, input, 'portal', asPerson(name, group)));
  return {
    world,
    grace: askAs('grace', ownGroup),
    mallory: askAs('mallory', foreignGroup),
    send: async (request) =>
      asking.run('mallory', () =>
        send({ ...request, ...asPerson('mallory', foreignGroup) }, 'portal'),
      ),
    fails: (url, problem) => failing.set(url, problem),
    takeCalls: (name) => calls[name].splice(0),
  };
}
