import { saying } from '../../contract/parse-problem.ts';
import { type ApiKey, valueIdOf } from '../api-key/api-key.ts';
import { viewApiKey } from '../management/api-key-view.ts';
import { least } from '../narrowing/meets.ts';
import { type LaterOf, narrow } from '../narrowing/narrow.ts';
import { apiKeyTable } from '../narrowing/tables.ts';
import { withStop } from '../stops.ts';
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

/** Whether a later state still had a value, as the present one or an old one. */
function hasValue({ value_id: present, old_values: old }: ApiKeyView, key: ApiKey): boolean {
  const valueId = valueIdOf(key);
  return (present ?? key.keyId) === valueId || old.some((one) => one.value_id === valueId);
}

/** When a change was made. It ends what its state no longer has. */
function endBy({ change }: LaterState<ApiKeyView>, { updatedAt }: ApiKey): number {
  return parseTime(change.time) ?? updatedAt;
}

/** What a later state allows the stored values. The hashes of values that were made since are lost. */
function laterKey(
  stored: ApiKey,
  state: LaterState<ApiKeyView>,
): LaterOf<ApiKey, typeof apiKeyTable> {
  const { name, acl, expires_at: end, old_values: old, scope: scopes, stops } = state.view;
  const endOf = (valueEnd: number | undefined) => least(end, valueEnd);
  const asOld = old.find((one) => one.value_id === valueIdOf(stored));
  return {
    name,
    oldValues: old.map(({ value_id: valueId, expires_at: expiresAt }) => ({
      valueId,
      hash: '',
      expiresAt: endOf(expiresAt) ?? expiresAt,
    })),
    subnets: acl.map((one) => ({
      subnetId: one.subnet_id,
      name: one.name,
      address: one.address,
      prefixLength: one.prefix_length,
    })),
    scopes,
    expiresAt: hasValue(state.view, stored) ? endOf(asOld?.expires_at) : endBy(state, stored),
    stops,
  };
}

/** As `replayClient`, for an API key: no source that its last list refuses can use it. */
export function replayApiKey(
  stored: ApiKey,
  changes: readonly AuditedChange[],
  options: ReplayOptions,
): Replayed<ApiKey> {
  const own = selectOwnChanges(changes, ['api_key', 'api_key_subnet'], stored.keyId);
  const history = readHistory(apiKeyView, stored, own, options);
  const { last, lastView, bounds, since, highest, lastLife } = history;
  const later = (states: typeof since) => states.map((state) => laterKey(stored, state));
  const { item: left, empty } = narrow<ApiKey>(apiKeyTable, stored, {
    ever: later(since),
    last: [...later(since.filter(({ view }) => bounds.includes(view))), ...lastLife.stops],
    labels: last,
  });
  const hasEnded = since.some(({ view }) => !hasValue(view, stored));
  // No list can be empty. A key that is only disabled could be enabled with what it lost.
  const [end] = empty.size === 0 ? [] : since.slice(-1).map((state) => endBy(state, stored));
  const isUsable = empty.size === 0 && !hasEnded;
  const item: ApiKey = {
    ...left,
    stops: isUsable ? left.stops : withStop(left.stops, 'person', options.stop),
    expiresAt: least(left.expiresAt, end),
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
      empty.has('subnets') &&
        'ended, as no list says which sources it accepted then and ever since: make another key',
      empty.has('scopes') && 'ended, as it had no scope both then and ever since: make another key',
      ...(isUsable ? lookAt : []),
    ),
  };
}
