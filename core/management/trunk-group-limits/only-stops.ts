import type { ApiKey, OldValue } from '../../api-key/api-key.ts';
import { containsSubnet, formatCidr, meetsRequirement, type Subnet } from '../../api-key/subnet.ts';
import type { ClaimCondition } from '../../client/claim-condition.ts';
import type { Client, ClientSecret } from '../../client/client.ts';
import type { Stoppable } from '../../stops.ts';

const isWithin = (after: readonly string[], before: readonly string[]) =>
  after.every((one) => before.includes(one));

/** Stands for the scopes of an API key without a list. No scope has a space. */
const every = 'every scope';

const endOf = (expiresAt: number | undefined) => expiresAt ?? Number.POSITIVE_INFINITY;

/** Each kind of stop that there was is still there. */
const keepsStops = ({ stops: before = {} }: Stoppable, { stops: after = {} }: Stoppable) =>
  isWithin(Object.keys(before), Object.keys(after));

function narrowsSecret(before: ClientSecret | undefined, after: ClientSecret): boolean {
  return (
    before !== undefined &&
    before.hash === after.hash &&
    before.publicKey === after.publicKey &&
    before.alg === after.alg &&
    before.name === after.name &&
    endOf(after.expiresAt) <= endOf(before.expiresAt) &&
    keepsStops(before, after)
  );
}

/** Every claim that was required still is, with no further values. */
function narrowsConditions(
  before: readonly ClaimCondition[],
  after: readonly ClaimCondition[],
): boolean {
  return before.every(({ claim, values }) =>
    after.some((one) => one.claim === claim && isWithin(one.values, values)),
  );
}

/** An empty list of audiences means the default one. */
function narrowsAudiences(before: readonly string[], after: readonly string[]): boolean {
  return (after.length === 0) === (before.length === 0) && isWithin(after, before);
}

/** Whether all fields are the same but those that are compared by themselves, or with each change. */
export function isSameOtherwise<T extends object>(
  before: T,
  after: T,
  compared: readonly (keyof T)[],
): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof T)[]);
  return [...names].every(
    (name) =>
      compared.includes(name) || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  );
}

/** Whether a change to the next version only takes something away, which no limit can refuse. */
export function onlyStopsClient(before: Client, after: Client): boolean {
  const secrets = new Map(before.secrets.map((secret) => [secret.secretId, secret]));
  return (
    isSameOtherwise(before, after, [
      'stops',
      'tokenLifetime',
      'tokensNotBefore',
      'scopes',
      'audiences',
      'provider',
      'secrets',
      // Who declares a client gives it nothing.
      'declared',
      'version',
      'updatedAt',
    ]) &&
    keepsStops(before, after) &&
    after.tokenLifetime <= before.tokenLifetime &&
    (after.tokensNotBefore ?? 0) >= (before.tokensNotBefore ?? 0) &&
    isWithin(after.scopes, before.scopes) &&
    narrowsAudiences(before.audiences, after.audiences) &&
    narrowsConditions(before.provider?.conditions ?? [], after.provider?.conditions ?? []) &&
    after.secrets.every((secret) => narrowsSecret(secrets.get(secret.secretId), secret))
  );
}

/** No subnet means every source. A new one is small enough for a limit that requires subnets. */
function narrowsSubnets(before: readonly Subnet[], after: readonly Subnet[]): boolean {
  const known = before.map(formatCidr);
  const narrows = (one: Subnet) =>
    known.includes(formatCidr(one)) ||
    (meetsRequirement(one) &&
      (before.length === 0 || before.some((outer) => containsSubnet(outer, one))));
  return after.length > 0 ? after.every(narrows) : before.length === 0;
}

function narrowsOldValues(before: readonly OldValue[], after: readonly OldValue[]): boolean {
  return after.every((one) =>
    before.some(({ hash, expiresAt }) => hash === one.hash && expiresAt >= one.expiresAt),
  );
}

/** The same of an API key. */
export function onlyStopsApiKey(before: ApiKey, after: ApiKey): boolean {
  return (
    isSameOtherwise(before, after, [
      'stops',
      'expiresAt',
      'subnets',
      'oldValues',
      'scopes',
      'version',
      'updatedAt',
    ]) &&
    keepsStops(before, after) &&
    narrowsOldValues(before.oldValues ?? [], after.oldValues ?? []) &&
    (before.scopes === undefined || isWithin(after.scopes ?? [every], before.scopes)) &&
    endOf(after.expiresAt) <= endOf(before.expiresAt) &&
    narrowsSubnets(before.subnets, after.subnets)
  );
}
