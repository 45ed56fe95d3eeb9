import { requiredSubnetText } from '../../../contract/required-subnet.ts';
import type { ApiKey } from '../../api-key/api-key.ts';
import { formatCidr, meetsRequirement } from '../../api-key/subnet.ts';
import type { Client } from '../../client/client.ts';
import { formatDuration } from '../../duration.ts';
import { endOfDay, formatTime } from '../../time.ts';
import type { Limits } from '../../trunk-group/trunk-group-limits.ts';

/** Something that a record has above a limit. */
export interface Excess {
  readonly limit: keyof Limits;
  /** The field of the record. */
  readonly field: string;
  /** Which of several values of the field, for example the id of a secret. */
  readonly which?: string;
  /** By how much. It is compared only with the same value of the record before a change. */
  readonly amount: number;
  /** Undefined: nothing. */
  readonly received: string | number | undefined;
  readonly allowed: string;
}

/** What a limit is checked against. */
type LimitedClient = Pick<Client, 'scopes' | 'tokenLifetime' | 'secrets' | 'provider'>;

export function* findClientExcess(
  limits: Limits,
  client: LimitedClient,
  now: number,
): Generator<Excess> {
  const { scopes, providers, maxTokenLifetime = Number.POSITIVE_INFINITY } = limits;
  for (const scope of client.scopes) {
    if (scopes?.includes(scope) !== false) continue;
    const allowed = `${scopes.join(', ') || 'none'}, within your limits`;
    yield { limit: 'scopes', field: 'scopes', which: scope, amount: 1, received: scope, allowed };
  }
  const issuer = client.provider?.issuer;
  if (issuer !== undefined && providers?.includes(issuer) === false) {
    const allowed = `${providers.join(', ') || 'none'}, within your limits`;
    yield { limit: 'providers', field: 'provider', amount: 1, received: issuer, allowed };
  }
  const { tokenLifetime } = client;
  if (tokenLifetime > maxTokenLifetime) {
    yield {
      limit: 'maxTokenLifetime',
      field: 'tokenLifetime',
      amount: tokenLifetime,
      received: tokenLifetime,
      allowed: `at most ${maxTokenLifetime} seconds`,
    };
  }
  for (const { secretId: which, expiresAt } of client.secrets) {
    yield* findLifeExcess(limits, { limit: 'maxSecretLifetime', which }, expiresAt, now);
  }
}

/** What has no end has more life left than any limit. */
function* findLifeExcess(
  limits: Limits,
  of: { readonly limit: 'maxSecretLifetime' | 'maxApiKeyLifetime'; readonly which?: string },
  expiresAt: number | undefined,
  now: number,
): Generator<Excess> {
  const most = limits[of.limit];
  const end = expiresAt ?? Number.POSITIVE_INFINITY;
  if (most === undefined || end <= latestExpiry(now + most, end)) return;
  yield {
    ...of,
    field: 'expiresAt',
    amount: end,
    received: expiresAt === undefined ? undefined : formatTime(expiresAt),
    allowed: `an end at most ${formatDuration(most)} from now`,
  };
}

/** The end of a day stands for a date without a time: the bound then counts to the end of its day. */
function latestExpiry(bound: number, expiry: number): number {
  return expiry === endOfDay(expiry) ? endOfDay(bound) : bound;
}

/** What a limit is checked against. */
type LimitedApiKey = Pick<ApiKey, 'subnets' | 'scopes' | 'expiresAt'>;

export function* findApiKeyExcess(
  limits: Limits,
  key: LimitedApiKey,
  now: number,
): Generator<Excess> {
  yield* findSubnetExcess(limits, key);
  yield* findKeyScopeExcess(limits, key);
  yield* findLifeExcess(limits, { limit: 'maxApiKeyLifetime' }, key.expiresAt, now);
}

function* findKeyScopeExcess(
  { requireApiKeyScopes, scopes: granted }: Limits,
  { scopes }: LimitedApiKey,
): Generator<Excess> {
  if (requireApiKeyScopes !== true) return;
  const list = granted === undefined ? 'one scope or more' : granted.join(', ') || 'none';
  const allowed = `${list}, within your limits`;
  const ofKey = { limit: 'requireApiKeyScopes', field: 'scopes', amount: 1, allowed } as const;
  if (scopes === undefined) yield { ...ofKey, received: undefined };
  for (const scope of scopes ?? []) {
    if (granted?.includes(scope) === false) yield { ...ofKey, which: scope, received: scope };
  }
}

function* findSubnetExcess(
  { requireSubnet }: Limits,
  { subnets }: LimitedApiKey,
): Generator<Excess> {
  if (requireSubnet !== true) return;
  const allowed = `one subnet or more, ${requiredSubnetText}`;
  const ofKey = { limit: 'requireSubnet', field: 'subnets', amount: 1, allowed } as const;
  if (subnets.length === 0) yield { ...ofKey, received: undefined };
  for (const wide of subnets.filter((subnet) => !meetsRequirement(subnet))) {
    const received = formatCidr(wide);
    yield { ...ofKey, which: received, received };
  }
}

/** The excesses that a change adds, or makes larger. */
export function findAddedExcesses(
  before: Iterable<Excess>,
  after: Iterable<Excess>,
): readonly Excess[] {
  const keyOf = ({ limit, which = '' }: Excess) => `${limit} ${which}`;
  const had = new Map([...before].map((excess) => [keyOf(excess), excess.amount]));
  return [...after].filter((excess) => excess.amount > (had.get(keyOf(excess)) ?? 0));
}
