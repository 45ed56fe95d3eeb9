import { maxSubnetsPerApiKey } from '../../contract/bounds.ts';
import { saying } from '../../contract/parse-problem.ts';
import { type ApiKey, type ApiKeySubnet, valueIdOf } from '../api-key/api-key.ts';
import { containsSubnet, type Subnet } from '../api-key/subnet.ts';
import { viewApiKey } from '../management/api-key-view.ts';
import { meetStops, withStop } from '../stops.ts';
import { parseTime } from '../time.ts';
import { type ApiKeyView, apiKeyView, nextVersion, readHistory } from './audit-views.ts';
import {
  type AuditedChange,
  describeReplay,
  type LaterState,
  type Replayed,
  type ReplayOptions,
  selectOwnChanges,
} from './replay.ts';

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

/** When a change was made. It ends what its state no longer has. */
function endBy({ change }: LaterState<ApiKeyView>, { updatedAt }: ApiKey): number {
  return parseTime(change.time) ?? updatedAt;
}

/** The earliest end of the present value. */
function narrowEnd(stored: ApiKey, since: readonly LaterState<ApiKeyView>[]): number {
  const { keyId, expiresAt = Number.POSITIVE_INFINITY } = stored;
  const ends = since.map(
    (state) => endIn(state.view, keyId, valueIdOf(stored)) ?? endBy(state, stored),
  );
  return Math.min(expiresAt, ...ends);
}

function narrowOldValues(stored: ApiKey, bounds: readonly ApiKeyView[]): ApiKey['oldValues'] {
  const left = (stored.oldValues ?? []).flatMap((old) => {
    const ends = bounds.map((bound) => endIn(bound, stored.keyId, old.valueId));
    const known = ends.filter((end) => end !== undefined);
    return known.length < ends.length
      ? []
      : [{ ...old, expiresAt: Math.min(old.expiresAt, ...known) }];
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

/** As `replayClient`, for an API key: no source that its last list refuses can use it. */
export function replayApiKey(
  stored: ApiKey,
  changes: readonly AuditedChange[],
  options: ReplayOptions,
): Replayed<ApiKey> {
  const own = selectOwnChanges(changes, ['api_key', 'api_key_subnet'], stored.keyId);
  const { last, lastView, bounds, since, highest } = readHistory(apiKeyView, stored, own, options);
  const views = since.map(({ view }) => view);
  const subnets = narrowAcl(stored.subnets, views);
  const scopes = narrowScopes(stored.scopes, views);
  const isEmpty = subnets === undefined || scopes?.length === 0;
  const hasEnded = views.some((one) => endIn(one, stored.keyId, valueIdOf(stored)) === undefined);
  const end = Math.min(
    narrowEnd(stored, since),
    // Neither list can be empty. A key that is only disabled could be enabled with what it lost.
    ...(isEmpty ? since.slice(-1).map((state) => endBy(state, stored)) : []),
  );
  const isUsable = !isEmpty && !hasEnded;
  const stops = bounds.map((bound) => bound.stops).reduce(meetStops, stored.stops);
  const item: ApiKey = {
    ...stored,
    name: last?.name ?? stored.name,
    stops: isUsable ? stops : withStop(stops, 'person', options.stop),
    subnets: subnets ?? stored.subnets,
    scopes: scopes?.length === 0 ? stored.scopes : scopes,
    expiresAt: Number.isFinite(end) ? end : undefined,
    oldValues: narrowOldValues(stored, views),
    version: nextVersion(stored.version, highest),
  };
  const { narrowed, lookAt } = describeReplay(viewApiKey(stored), viewApiKey(item), lastView);
  return {
    item,
    narrowed,
    lookAt: saying(
      last !== undefined &&
        (last.value_id ?? stored.keyId) !== valueIdOf(stored) &&
        `its value was rotated after the restore point and the new one is lost: ${hasEnded ? 'make another key' : 'rotate it'}`,
      subnets === undefined &&
        'ended, as no list says which sources it accepted then and ever since: make another key',
      scopes?.length === 0 &&
        'ended, as it had no scope both then and ever since: make another key',
      ...(isUsable ? lookAt : []),
    ),
  };
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
