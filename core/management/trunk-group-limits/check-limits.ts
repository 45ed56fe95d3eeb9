import { maxListedItems } from '../../../contract/limits.ts';
import { readEvery } from '../../paging.ts';
import type { GrantLimits } from '../../trunk-group/trunk-group-limits.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { indexOwnProviders } from '../provider-ownership.ts';
import { type Excess, findApiKeyExcess, findClientExcess } from './limit-excess.ts';
import { readLimits, requireReachedTrunkGroup } from './limits-record.ts';

/** Something that a trunk group has above its limits. */
export interface TrunkGroupExcess {
  readonly limit: keyof GrantLimits;
  /** Id of the client, the secret or the API key; the trunk group for a count. */
  readonly subject: string;
  readonly name?: string | undefined;
  readonly received: string;
  readonly allowed: string;
}

export interface LimitsCheck {
  readonly excesses: readonly TrunkGroupExcess[];
  /** Whether there are more than the 500 that are listed. */
  readonly more: boolean;
}

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
  const nothing = nothings[limit] ?? 'no end';
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

type Exceeding = readonly [count: number, found: readonly TrunkGroupExcess[]];

async function checkClients(
  context: ManagementContext,
  group: string,
  limits: GrantLimits,
  own: readonly string[],
): Promise<Exceeding> {
  const now = currentTime(context);
  const found: TrunkGroupExcess[] = [];
  let count = 0;
  for await (const client of readEvery((after) => context.clients.readClients(of(group, after)))) {
    count += 1;
    const { clientId: id, name, provider } = client;
    const isUnderOwn = provider !== undefined && own.includes(provider.registrationId);
    const ofClient = isUnderOwn ? { ...limits, providers: undefined } : limits;
    for (const excess of findClientExcess(ofClient, client, now)) {
      found.push(describeExcess(excess, { id, name }));
    }
  }
  return [count, found];
}

async function checkApiKeys(
  context: ManagementContext,
  group: string,
  limits: GrantLimits,
): Promise<Exceeding> {
  const now = currentTime(context);
  const found: TrunkGroupExcess[] = [];
  let count = 0;
  for await (const key of readEvery((after) => context.apiKeys.readApiKeys(of(group, after)))) {
    count += 1;
    const { keyId: id, name } = key;
    for (const excess of findApiKeyExcess(limits, key, now)) {
      found.push(describeExcess(excess, { id, name }));
    }
  }
  return [count, found];
}

/**
 * What a trunk group has above its limits, or above proposed ones before they are set. It reads
 * everything that the group has, and changes nothing.
 *
 * @throws {NotFoundError} if the caller cannot reach the trunk group.
 */
export async function checkTrunkGroupLimits(
  context: ManagementContext,
  group: string,
  proposed?: GrantLimits,
): Promise<LimitsCheck> {
  requireReachedTrunkGroup(context, group);
  const limits =
    proposed === undefined
      ? await context.trunkGroupLimits.findLimits(group)
      : await readLimits(context, proposed);
  const { providers, ownProviders } = limits;
  const readsProviders = (providers ?? ownProviders) !== undefined;
  const own = readsProviders ? (await indexOwnProviders(context))(group) : [];
  const [clients, ofClients] = await checkClients(context, group, limits, own);
  const [keys, ofKeys] = await checkApiKeys(context, group, limits);
  const all = [
    ...countExcess(group, 'maxClients', clients, limits.maxClients),
    ...countExcess(group, 'maxApiKeys', keys, limits.maxApiKeys),
    ...countExcess(group, 'ownProviders', own.length, ownProviders),
    ...ofClients,
    ...ofKeys,
  ];
  return { excesses: all.slice(0, maxListedItems), more: all.length > maxListedItems };
}
