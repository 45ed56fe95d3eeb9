import { requiredSubnetText } from '../../../contract/required-subnet.ts';
import type { ApiKey } from '../../api-key/api-key.ts';
import { formatCidr, meetsRequirement } from '../../api-key/subnet.ts';
import type { Client } from '../../client/client.ts';
import { endOfDay, formatTime } from '../../rfc3339.ts';
import type { GrantLimits } from '../../trunk-group/trunk-group-limits.ts';

/** Something that a record has above a limit. */
export interface Excess {
  readonly limit: keyof GrantLimits;
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
export type LimitedClient = Pick<Client, 'scopes' | 'tokenLifetime' | 'secrets' | 'provider'>;

export function* findClientExcess(
  limits: GrantLimits,
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
  yield* findSecretExcess(limits, client, now);
}

function* findSecretExcess(
  { maxSecretLifetime }: GrantLimits,
  { secrets }: LimitedClient,
  now: number,
): Generator<Excess> {
  if (maxSecretLifetime === undefined) return;
  for (const { secretId, expiresAt } of secrets) {
    const end = expiresAt ?? Number.POSITIVE_INFINITY;
    if (end <= latestExpiry(now + maxSecretLifetime, end)) continue;
    yield {
      limit: 'maxSecretLifetime',
      field: 'expiresAt',
      which: secretId,
      amount: end,
      received: expiresAt === undefined ? undefined : formatTime(expiresAt),
      allowed: `an end at most ${maxSecretLifetime} seconds from now`,
    };
  }
}

/** The end of a day stands for a date without a time: the bound then counts to the end of its day. */
function latestExpiry(bound: number, expiry: number): number {
  return expiry === endOfDay(expiry) ? endOfDay(bound) : bound;
}

export function* findApiKeyExcess(
  { requireSubnet }: GrantLimits,
  { subnets }: Pick<ApiKey, 'subnets'>,
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
