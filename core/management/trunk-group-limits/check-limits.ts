import { maxListedItems } from '../../../contract/bounds.ts';
import type { OperationResult } from '../../../contract/management/operations.ts';
import { ownValue } from '../../../contract/own-value.ts';
import type { Client } from '../../client/client.ts';
import { readEvery } from '../../paging.ts';
import type { Limits } from '../../trunk-group/trunk-group-limits.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { indexOwnProviders } from '../providers/provider-ownership.ts';
import { type Excess, findApiKeyExcess, findClientExcess } from './limit-excess.ts';
import { readLimits, requireReachedTrunkGroup } from './limits-record.ts';

export type LimitsCheck = OperationResult<'checkTrunkGroupLimits'>;

/** Something that a trunk group has above its limits. */
export type TrunkGroupExcess = LimitsCheck['excesses'][number];

function of(group: string, after: string | undefined) {
  return { limit: maxListedItems, trunkGroups: [group], after };
}

/** What a record has that has nothing of what a limit requires. */
const nothings: Readonly<Record<string, string>> = {
  requireSubnet: 'no subnet',
  requireApiKeyScopes: 'every scope',
};

function describeExcess(
  { limit, which, received, allowed }: Excess,
  { id, name }: { readonly id: string; readonly name: string },
): TrunkGroupExcess {
  const subject = limit === 'maxSecretLifetime' ? (which ?? id) : id;
  const nothing = ownValue(nothings, limit) ?? 'no end';
  return { limit, subject, name, received: String(received ?? nothing), allowed };
}

function countExcess(
  group: string,
  limit: 'maxClients' | 'maxApiKeys' | 'ownProviders',
  count: number,
  most: number | undefined,
): readonly TrunkGroupExcess[] {
  if (most === undefined || count <= most) return [];
  return [{ limit, subject: group, received: String(count), allowed: `at most ${most}` }];
}

async function countExceeding<T extends { readonly name: string }>(
  items: AsyncIterable<T>,
  idOf: (item: T) => string,
  findExcess: (item: T) => Iterable<Excess>,
) {
  const found: TrunkGroupExcess[] = [];
  let count = 0;
  for await (const item of items) {
    count += 1;
    const named = { id: idOf(item), name: item.name };
    for (const excess of findExcess(item)) found.push(describeExcess(excess, named));
  }
  return { count, found };
}

export async function checkTrunkGroupLimits(
  context: ManagementContext,
  group: string,
  proposed?: Limits,
): Promise<LimitsCheck> {
  requireReachedTrunkGroup(context, group);
  const limits =
    proposed === undefined
      ? await context.trunkGroupLimits.find(group)
      : await readLimits(context, proposed);
  const { providers, ownProviders } = limits;
  const readsProviders = (providers ?? ownProviders) !== undefined;
  const own = readsProviders ? (await indexOwnProviders(context))(group) : [];
  const now = currentTime(context);
  const isUnderOwn = ({ provider }: Client) =>
    provider !== undefined && own.includes(provider.registrationId);
  const clients = await countExceeding(
    readEvery((after) => context.clients.readPage(of(group, after))),
    ({ clientId }) => clientId,
    (client) => {
      const ofClient = isUnderOwn(client) ? { ...limits, providers: undefined } : limits;
      return findClientExcess(ofClient, client, now);
    },
  );
  const keys = await countExceeding(
    readEvery((after) => context.apiKeys.readPage(of(group, after))),
    ({ keyId }) => keyId,
    (key) => findApiKeyExcess(limits, key, now),
  );
  const all = [
    ...countExcess(group, 'maxClients', clients.count, limits.maxClients),
    ...countExcess(group, 'maxApiKeys', keys.count, limits.maxApiKeys),
    ...countExcess(group, 'ownProviders', own.length, ownProviders),
    ...clients.found,
    ...keys.found,
  ];
  return { excesses: all.slice(0, maxListedItems), more: all.length > maxListedItems };
}
