import { maxClaimConditions, maxSubnetsPerApiKey } from '../../contract/bounds.ts';
import type { ApiKey, ApiKeySubnet, OldValue } from '../api-key/api-key.ts';
import { containsSubnet, type Subnet } from '../api-key/subnet.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import type { Client, ClientProvider, ClientSecret } from '../client/client.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { meetStops } from '../stops.ts';
import { common, latest, least, someCommon } from './meets.ts';
import { isSame, type NarrowTable, nothing, onlyNarrows } from './narrow.ts';

/*
 * What less of each stored attribute means. A new attribute without a row does not compile. No function
 * of the token path imports this file.
 */

/** Attributes that mean the same. */
function rows<const Row, const Name extends string>(row: Row, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, row])) as Readonly<Record<Name, Row>>;
}

const stops = { over: 'last', meet: meetStops } as const;

export const secretTable = {
  ...rows('identity', 'secretId', 'hash', 'publicKey', 'alg', 'createdAt', 'imported'),
  name: 'label',
  expiresAt: { over: 'last', meet: least },
  lastUsedOn: 'bookkeeping',
  stops,
} as const satisfies NarrowTable<ClientSecret>;

type Secrets = readonly ClientSecret[];

/** The secrets of the second that are no more than those of the first. */
function meetSecrets(a: Secrets, b: Secrets): Secrets {
  return b.filter((secret) => {
    const same = a.find((one) => one.secretId === secret.secretId);
    return same !== undefined && onlyNarrows(secretTable, same, secret);
  });
}

/** Empty is the default audience: another one, and never nothing. */
function meetAudiences(a: readonly string[], b: readonly string[]) {
  if (a.length === 0 || b.length === 0) return a;
  return someCommon(a, b) ?? nothing;
}

type Conditions = readonly ClaimCondition[];

/** What every condition on a claim allows. */
function mergeCondition(claim: string, conditions: Conditions): ClaimCondition {
  const lists = conditions.filter((one) => one.claim === claim).map(({ values }) => values);
  const values = new Set(lists.flat());
  return { claim, values: [...values].filter((one) => lists.every((list) => list.includes(one))) };
}

const sorted = (conditions: Conditions) =>
  conditions.map(({ claim, values }) => JSON.stringify([claim, values.toSorted()])).toSorted();

/** Required claims of both. Nothing: no token can have them, or a client cannot require so many. */
function meetProviders(a: ClientProvider | undefined, b: ClientProvider | undefined) {
  if (isSame(a, b)) return b;
  const { conditions: ofA = [], ...identity } = a ?? {};
  const { conditions: ofB = [], ...other } = b ?? {};
  if (a === undefined || b === undefined || !isSame(identity, other)) return a;
  const all = [...ofA, ...ofB];
  const claims = new Set(all.map(({ claim }) => claim));
  const merged = [...claims].map((claim) => mergeCondition(claim, all));
  const isPossible = merged.every(({ values }) => values.length > 0);
  if (!isPossible || merged.length > maxClaimConditions) return nothing;
  if (isSame(sorted(merged), sorted(ofB))) return b;
  return { ...a, conditions: merged };
}

export const clientTable = {
  ...rows('identity', 'clientId', 'serviceTrunkGroup', 'importId', 'createdAt'),
  // Who declares a client gives it nothing. A restore has a rule of its own.
  ...rows('bookkeeping', 'declared', 'lastUsedOn', 'version', 'updatedAt'),
  name: 'label',
  audiences: { over: 'ever', meet: meetAudiences },
  tokenLifetime: { over: 'last', meet: least },
  scopes: { over: 'ever', meet: common },
  stops,
  // A restore replays each by itself.
  secrets: { over: 'last', meet: meetSecrets },
  provider: { over: 'last', meet: meetProviders },
  tokensNotBefore: { over: 'last', meet: latest },
} as const satisfies NarrowTable<Client>;

type OldValues = readonly OldValue[] | undefined;

/** The values that both have, each to its earlier end. */
function meetOldValues(a: OldValues, b: OldValues): OldValues {
  const left = (b ?? []).flatMap(({ valueId, expiresAt }) => {
    const old = a?.find((one) => one.valueId === valueId);
    return old === undefined ? [] : [{ ...old, expiresAt: least(old.expiresAt, expiresAt) }];
  });
  return left.length === 0 ? undefined : left;
}

function liesIn(subnet: Subnet, list: readonly Subnet[]): boolean {
  return list.some((one) => containsSubnet(one, subnet));
}

/** The sources that both lists accept. An empty list accepts every source, so none has no list. */
function meetSubnets(a: readonly ApiKeySubnet[], b: readonly ApiKeySubnet[]) {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const ofB = b.filter((one) => liesIn(one, a));
  const all = [...ofB, ...a.filter((one) => liesIn(one, b) && !liesIn(one, ofB))];
  return all.length === 0 || all.length > maxSubnetsPerApiKey ? nothing : all;
}

export const apiKeyTable = {
  ...rows('identity', 'keyId', 'hash', 'valueId', 'rotationIds', 'serviceTrunkGroup', 'createdAt'),
  ...rows('bookkeeping', 'version', 'updatedAt'),
  name: 'label',
  oldValues: { over: 'ever', meet: meetOldValues },
  subnets: { over: 'ever', meet: meetSubnets },
  scopes: { over: 'ever', meet: someCommon },
  expiresAt: { over: 'ever', meet: least },
  stops,
} as const satisfies NarrowTable<ApiKey>;

export const providerTable = {
  ...rows('identity', 'issuer', 'registrationId', 'discoveryUrl', 'jwksUri', 'allowedAlgorithms'),
  ...rows('identity', 'clientIdClaim', 'audienceFrom', 'clientPatterns', 'leeway', 'owned'),
  registeredAt: 'identity',
  // The record of the owner decides.
  ownedBy: 'bookkeeping',
  stops,
} as const satisfies NarrowTable<IdentityProvider>;
