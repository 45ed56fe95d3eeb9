import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../adapters/management.ts';
import { managementOperations } from '../../contract/management/operations.ts';
import { prepareCall, validCalls } from '../adapters/management/valid-calls.ts';
import { figure } from '../support/figure.ts';
import { type Act, hostileActs } from './hostile-acts.ts';
import { createTwoCustomers, foreignGroup, ownGroup, type TwoCustomers } from './two-customers.ts';

const operations = Object.keys(managementOperations) as readonly OperationName[];

/** The records of the customer that is looked at, and its audit without what follows from chance. */
function recordsOf({ world }: TwoCustomers): string {
  const own = (records: Iterable<{ readonly serviceTrunkGroup: string }>) =>
    [...records].filter(({ serviceTrunkGroup }) => serviceTrunkGroup === ownGroup);
  const owners = [...world.owners.values()].filter((one) => one.trunkGroups.includes(ownGroup));
  const audit = world.audit.filter((record) => record.actor.endsWith('#grace'));
  return JSON.stringify([
    own(world.clients.values()),
    own(world.apiKeys.values()),
    world.limits.get(ownGroup),
    owners,
    world.providers.get(world.issuer),
    world.providers.get(world.ownIssuer),
    audit,
  ]);
}

/** Pages of two records: the length, the cursor and the count of each say nothing of others. */
async function readEveryPage({ grace }: TwoCustomers): Promise<string> {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const { result } = (await grace('listAudit', { filter: { limit: 2, cursor } })) as {
      readonly result: { readonly nextCursor?: string };
    };
    pages.push(result);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  expect(pages.length).toBeGreaterThan(3);
  return JSON.stringify(pages);
}

/** Changes in different seconds, before and after those of the other customer. */
async function makeChanges({ grace, world }: TwoCustomers, name: string): Promise<void> {
  for (let index = 0; index < 3; index += 1) {
    world.now += 1;
    const client = { name, serviceTrunkGroup: ownGroup, scopes: ['calls:view'] };
    await grace('createClient', {
      client: { ...client, idempotencyKey: `${name}-${index}-12345` },
    });
  }
}

async function prepare(name: OperationName) {
  const customers = await createTwoCustomers();
  const { world } = customers;
  await prepareCall(world, name, ownGroup);
  const { names, args } = validCalls(world)[name];
  const input = Object.fromEntries(names.map((one, index) => [one, args[index]]));
  return { customers, input };
}

/** What the other customer's call gives, reads, writes, fetches and leaves behind. */
async function observe(name: OperationName, act: Act | undefined) {
  const { customers, input } = await prepare(name);
  const isAudit = name === 'listAudit';
  if (isAudit) await makeChanges(customers, 'before');
  await act?.(customers);
  if (isAudit) await makeChanges(customers, 'after');
  customers.takeCalls('grace');
  // All customers share the days of the audit: how many reads a page takes is not the same.
  if (isAudit) {
    const answer = await readEveryPage(customers);
    return { answer, records: recordsOf(customers) };
  }
  const answer = JSON.stringify(await customers.grace(name, input));
  return { answer, calls: ownCalls(customers), records: recordsOf(customers) };
}

/** All customers of a provider of the platform share one fetch of its keys. */
function ownCalls({ world, takeCalls }: TwoCustomers): readonly string[] {
  return takeCalls('grace').filter((call) => call !== `fetch ${world.issuer}/keys`);
}

/** The same while the act is made, with an answer that is lost: the call is repeated. */
async function observeMeanwhile(name: OperationName, act: Act | undefined) {
  const { customers, input } = await prepare(name);
  await Promise.all([customers.grace(name, input), act?.(customers)]);
  const answer = JSON.stringify(await customers.grace(name, input));
  return { answer, calls: ownCalls(customers), records: recordsOf(customers) };
}

/** What the customer sees without the other one: it is the same next to each act. */
function oncePerOperation<T>(look: (name: OperationName) => Promise<T>) {
  const seen = new Map<OperationName, Promise<T>>();
  return (name: OperationName): Promise<T> => {
    const found = seen.get(name) ?? look(name);
    seen.set(name, found);
    return found;
  };
}

const observeQuiet = oncePerOperation((name) => observe(name, undefined));
const repeatQuiet = oncePerOperation((name) => observeMeanwhile(name, undefined));

let cases = 0;

describe.each(Object.entries(hostileActs))('a customer that %s', (_, act) => {
  it.each(operations)('changes nothing of %s for another one', async (name) => {
    expect(await observe(name, act)).toEqual(await observeQuiet(name));
    cases += 1;
  });

  it.each(operations)('changes nothing of %s while it is made, and repeated', async (name) => {
    expect(await observeMeanwhile(name, act)).toEqual(await repeatQuiet(name));
    cases += 1;
  });
});

it('is tried in at least 500 cases', () => {
  figure('hostile customers', { acts: Object.keys(hostileActs).length, cases });
  expect(cases).toBeGreaterThanOrEqual(500);
});

describe('the acts of a hostile customer', () => {
  it.each(Object.entries(hostileActs))('do something: %s', async (_, act) => {
    const customers = await createTwoCustomers();
    await act(customers);
    const { world } = customers;
    const own = (records: Iterable<{ readonly serviceTrunkGroup: string }>) =>
      [...records].some(({ serviceTrunkGroup }) => serviceTrunkGroup === foreignGroup);
    expect({
      calls: customers.takeCalls('mallory').length > 0,
      made: own(world.clients.values()) || own(world.apiKeys.values()),
      registered: world.providers.size > 1,
      audited: world.audit.some(({ actor }) => actor.endsWith('#mallory')),
    }).toMatchSnapshot();
  });
});
