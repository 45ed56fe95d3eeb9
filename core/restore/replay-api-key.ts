import { maxSubnetsPerApiKey } from '../../contract/limits.ts';
import { saying } from '../../contract/parse-problem.ts';
import { type ApiKey, type ApiKeySubnet, valueIdOf } from '../api-key/api-key.ts';
import { containsSubnet, formatCidr, type Subnet } from '../api-key/subnet.ts';
import { type ApiKeyView, apiKeyView, nextVersion, readStates } from './audit-views.ts';
import {
  type AuditedChange,
  laterHistory,
  type Replayed,
  replaying,
  sayWider,
  selectOwnChanges,
} from './replay.ts';
import { formatExpiry } from './replay-secrets.ts';

type Acl = readonly ApiKeySubnet[];

function toAcl({ acl }: ApiKeyView): Acl {
  return acl.map((one) => ({
    subnetId: one.subnet_id,
    name: one.name,
    address: one.address,
    prefixLength: one.prefix_length,
  }));
}

/** Undefined if no list can express it: no source at all, or more blocks than a key may have. */
function narrowAcl(stored: Acl, bounds: readonly ApiKeyView[]): Acl | undefined {
  const common = bounds
    .map(toAcl)
    .reduce<Acl | undefined>((list, bound) => list && commonSubnets(bound, list), stored);
  return common !== undefined && common.length <= maxSubnetsPerApiKey ? common : undefined;
}

/**
 * How long a value still worked by a later state; undefined if that ended it. The hashes of values
 * that were made since are lost.
 */
function endIn(view: ApiKeyView, keyId: string, valueId: string): number | undefined {
  const { expires_at: end = Number.POSITIVE_INFINITY } = view;
  if ((view.value_id ?? keyId) === valueId) return end;
  const old = view.old_values.find((one) => one.value_id === valueId);
  return old && Math.min(old.expires_at, end);
}

/** The earliest end of a value in some states; undefined if one of them had ended it. */
function narrowEnd(
  { keyId }: ApiKey,
  {
    valueId,
    expiresAt = Number.POSITIVE_INFINITY,
  }: Pick<ApiKey, 'expiresAt'> & { readonly valueId: string },
  bounds: readonly ApiKeyView[],
): number | undefined {
  const ends = [expiresAt, ...bounds.map((bound) => endIn(bound, keyId, valueId))];
  const known = ends.filter((end) => end !== undefined);
  return known.length === ends.length ? Math.min(...known) : undefined;
}

function narrowOldValues(stored: ApiKey, bounds: readonly ApiKeyView[]): ApiKey['oldValues'] {
  const left = (stored.oldValues ?? []).flatMap((old) => {
    const expiresAt = narrowEnd(stored, old, bounds);
    return expiresAt === undefined ? [] : [{ ...old, expiresAt }];
  });
  return left.length === 0 ? undefined : left;
}

/** Undefined: every scope. Empty: none is left. */
function narrowScopes(stored: ApiKey['scopes'], bounds: readonly ApiKeyView[]): ApiKey['scopes'] {
  return bounds
    .map(({ scope }) => scope)
    .reduce<ApiKey['scopes']>(
      (left, bound) =>
        bound && left ? left.filter((one) => bound.includes(one)) : (left ?? bound),
      stored,
    );
}

function showScopes(scopes: ApiKey['scopes']): string {
  return scopes?.join(' ') ?? 'every scope';
}

function showAcl(acl: Acl): string {
  return acl.length === 0 ? 'every source' : acl.map(formatCidr).join(', ');
}

function describeWider(key: ApiKey, last: ApiKeyView | undefined): readonly string[] {
  if (last === undefined) return [];
  const [acl, scopes] = [showAcl(toAcl(last)), showScopes(last.scope)];
  const texts = saying(
    last.enabled && !key.enabled && 'it was enabled',
    acl !== showAcl(key.subnets) && `it accepted ${acl}`,
    scopes !== showScopes(key.scopes) && `it had ${scopes}, not ${showScopes(key.scopes)},`,
    last.expires_at !== key.expiresAt &&
      `it was to expire at ${formatExpiry(last.expires_at)}, not ${formatExpiry(key.expiresAt)},`,
  );
  return sayWider(texts);
}

/** As `replayClient`, for an API key: no source that its last list refuses can use it. */
export function replayApiKey(
  stored: ApiKey,
  changes: readonly AuditedChange[],
  undelete = false,
): Replayed<ApiKey> {
  return replaying(() => {
    const own = selectOwnChanges(changes, ['api_key', 'api_key_subnet'], stored.keyId);
    const { last, bounds } = laterHistory(
      readStates(apiKeyView, stored, own, undelete),
      stored.version,
    );
    const subnets = narrowAcl(stored.subnets, bounds);
    const scopes = narrowScopes(stored.scopes, bounds);
    const valueId = valueIdOf(stored);
    const end = narrowEnd(stored, { valueId, expiresAt: stored.expiresAt }, bounds);
    const isUsable = subnets !== undefined && scopes?.length !== 0 && end !== undefined;
    const oldValues = narrowOldValues(stored, bounds);
    const expiresAt = Number.isFinite(end) ? end : stored.expiresAt;
    const item: ApiKey = {
      ...stored,
      name: last?.name ?? stored.name,
      enabled: stored.enabled && isUsable && bounds.every((bound) => bound.enabled),
      subnets: subnets ?? stored.subnets,
      // A list is never empty. The key is disabled then.
      scopes: scopes?.length === 0 ? stored.scopes : scopes,
      expiresAt,
      oldValues,
      version: nextVersion(apiKeyView, stored.version, own),
    };
    return {
      outcome: 'kept',
      item,
      narrowed: saying(
        stored.enabled && !item.enabled && 'disabled',
        showAcl(item.subnets) !== showAcl(stored.subnets) &&
          `accepts ${showAcl(item.subnets)}, not ${showAcl(stored.subnets)}`,
        showScopes(item.scopes) !== showScopes(stored.scopes) &&
          `has ${showScopes(item.scopes)}, not ${showScopes(stored.scopes)}`,
        expiresAt !== stored.expiresAt &&
          `expires at ${formatExpiry(expiresAt)}, not ${formatExpiry(stored.expiresAt)}`,
        JSON.stringify(oldValues) !== JSON.stringify(stored.oldValues) &&
          'old values expire as they did at last',
      ),
      lookAt: saying(
        last !== undefined &&
          (last.value_id ?? stored.keyId) !== valueId &&
          'its value was rotated after the restore point and the new one is lost: rotate it',
        subnets === undefined &&
          'disabled, as no list says which sources it accepted then and at last',
        scopes?.length === 0 && 'disabled, as it had no scope both then and at last',
        ...describeWider(item, last),
      ),
    };
  });
}

function liesIn(subnet: Subnet, list: readonly Subnet[]): boolean {
  return list.some((one) => containsSubnet(one, subnet));
}

/**
 * The sources that both lists of an API key accept, as a list. An empty list accepts every source.
 *
 * @returns undefined if no source is in both, because no list can express that.
 */
function commonSubnets(
  a: readonly ApiKeySubnet[],
  b: readonly ApiKeySubnet[],
): readonly ApiKeySubnet[] | undefined {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const ofA = a.filter((one) => liesIn(one, b));
  const ofB = b.filter((one) => liesIn(one, a) && !liesIn(one, ofA));
  const common = [...ofA, ...ofB];
  return common.length === 0 ? undefined : common;
}
