import * as v from 'valibot';
import { secondsPerDay } from '../../contract/bounds.ts';
import { clientWords, type PlainKind } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { plainClientFields } from '../../contract/management/inputs.ts';
import { stopKinds } from '../../contract/stop-kinds.ts';
import type { PlainFields } from '../management/input-fields.ts';
import { formatDay, parseTime } from '../time.ts';
import {
  type AuditedChange,
  dropDeleted,
  dropUnreadable,
  type LaterState,
  laterHistory,
  type ReplayOptions,
} from './replay.ts';

/*
 * What `before` and `after` of an audit record hold, as far as a replay needs it. The views of
 * core/management/ have more members, which a replay does not need.
 */

const time = v.pipe(v.string(), v.transform(parseTime), v.number('a time'));
const version = v.pipe(v.number(), v.safeInteger());

const stop = v.object({ at: time, by: v.string(), event: v.optional(v.string()) });

/** By kind. What a record is stopped by decides, and not whether a view says "enabled". */
export const stops = v.optional(v.strictObject(v.entriesFromList(stopKinds, v.optional(stop))));

const conditions = v.array(v.object({ claim: v.string(), values: v.array(v.string()) }));

/** How a view has a value as it was given, by the kind of its field. */
const viewedKinds: Readonly<Record<PlainKind, v.GenericSchema>> = {
  text: v.string(),
  count: v.number(),
  seconds: v.number(),
  time,
  flag: v.boolean(),
};

/** What a client has as it was given, by the names of the library. */
const plainView = v.pipe(
  v.object(
    Object.fromEntries(
      plainClientFields.map((name) => [
        wireNameOf(name),
        v.optional(viewedKinds[clientWords[name].kind]),
      ]),
    ),
  ),
  v.transform((view) => {
    const entries = plainClientFields.map((name) => [name, view[wireNameOf(name)]]);
    return { plain: Object.fromEntries(entries) as PlainFields };
  }),
);

const otherView = v.object({
  created_at: time,
  version,
  name: v.string(),
  stops,
  scope: v.pipe(
    v.string(),
    v.transform((text) => (text === '' ? [] : text.split(' '))),
  ),
  audience: v.array(v.string()),
  tokens_not_before: v.optional(time),
  declared_by: v.optional(v.string()),
  undeclared_at: v.optional(time),
  taken_over_at: v.optional(time),
  required_claims: v.optional(conditions, []),
});

export const clientView = v.intersect([otherView, plainView]);

/** What the views of clients and API keys have in common. */
type ItemView = Pick<ClientView, 'created_at' | 'version' | 'stops'>;

export type ClientView = v.InferOutput<typeof clientView>;

const secretView = v.object({
  secret_id: v.string(),
  created_at: time,
  name: v.optional(v.string()),
  expires_at: v.optional(time),
  stops,
});

export type SecretView = v.InferOutput<typeof secretView>;

/** A record about a secret: its client, the client's version, and the other secrets that the change made expire. */
export const secretChangeView = v.object({
  ...secretView.entries,
  client_id: v.string(),
  client_version: version,
  expires_others: v.optional(v.array(secretView), []),
});

export const apiKeyView = v.object({
  created_at: time,
  version,
  name: v.string(),
  stops,
  value_id: v.optional(v.string()),
  old_values: v.optional(v.array(v.object({ value_id: v.string(), expires_at: time })), []),
  scope: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(' ')),
    ),
  ),
  expires_at: v.optional(time),
  acl: v.array(
    v.object({
      subnet_id: v.string(),
      name: v.string(),
      address: v.string(),
      prefix_length: v.number(),
    }),
  ),
});

export type ApiKeyView = v.InferOutput<typeof apiKeyView>;

export const providerView = v.object({ registration_id: v.string(), stops });
export const givenKeysView = v.object({ keys_version: v.number() });

/**
 * Reads the view that says what a change was about: what there was after it or, if there was
 * nothing, before it.
 *
 * @throws {DroppedItem} if the view cannot be interpreted.
 */
export function readView<const T extends v.GenericSchema>(
  schema: T,
  change: AuditedChange,
): v.InferOutput<T> {
  const result = v.safeParse(schema, change.after ?? change.before);
  return result.success ? result.output : dropUnreadable(change);
}

/** When the last life of an id began, and what stopped it at its end: of a later life than the item's. */
function findLastLife(createdAt: number, all: readonly LaterState<ItemView>[]) {
  const began = Math.max(...all.map(({ view }) => view.created_at));
  if (began <= createdAt) return { began: Number.POSITIVE_INFINITY, stops: [] };
  const { bounds } = laterHistory(
    all.filter(({ view }) => view.created_at === began),
    0,
  );
  return { began, stops: bounds.map(({ stops }) => ({ stops })) };
}

/**
 * What an item's own records say after its version, the highest version that any of them names, and
 * what stopped a later life of its id.
 *
 * @throws {DroppedItem} if it was deleted, or a later life of its id.
 */
export function readHistory<const T extends v.GenericSchema<unknown, ItemView>>(
  schema: T,
  item: { readonly createdAt: number; readonly version: number },
  own: readonly AuditedChange[],
  { undelete = () => false }: ReplayOptions,
) {
  const all = own.map((change) => ({ change, view: readView(schema, change) }));
  const states = all.filter(({ change, view }) => {
    const isLater = view.created_at > item.createdAt;
    const isOwn = view.created_at === item.createdAt;
    if (change.after !== undefined) return isOwn;
    const isSince = isLater || (isOwn && view.version >= item.version);
    if (isSince && !undelete(change)) dropDeleted(change);
    return false;
  });
  // A deletion has a version of its own: what comes back after it is a later one.
  const highest = Math.max(
    item.version,
    ...all.map(({ change, view }) => view.version + Number(change.after === undefined)),
  );
  const lastLife = findLastLife(item.createdAt, all);
  return { ...laterHistory(states, item.version), highest, lastLife };
}

/** The version that follows every one that an item had since. Without one, it keeps its own. */
export function nextVersion(stored: number, highest: number): number {
  return highest === stored ? stored : highest + 1;
}

/**
 * Partitions of the audit that hold every change made since a time. A record is filed under the day
 * of the caller's clock, and its intent is written before the change. One day on either side covers
 * every clock that AWS accepts, and costs one query each.
 *
 * @param from first moment that counts, seconds since the epoch.
 * @param now seconds since the epoch.
 */
export function auditDays(from: number, now: number): readonly string[] {
  const first = Math.floor(from / secondsPerDay) - 1;
  const last = Math.floor(now / secondsPerDay) + 1;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    formatDay((first + index) * secondsPerDay),
  );
}
