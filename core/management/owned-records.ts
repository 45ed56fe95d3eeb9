import { type IdKind, isId } from '../credential/credential-value.ts';
import { NotFoundError, RefusedError, UnavailableError } from '../errors.ts';
import type { OwnedQuery, OwnedRecord, OwnedStore } from '../record-store.ts';
import { describeStops, type Stoppable, type Stops, withoutStop, withStop } from '../stops.ts';
import { checkVersion, type IfVersion, repeatStop } from './if-version.ts';
import { byNameThen, isOwnedItem, type Page, toPage } from './list-query.ts';
import {
  currentTime,
  type ManagementContext,
  makeAuditedChange,
  newStop,
  stopperOf,
} from './management-context.ts';
import { requireRunning } from './trunk-group-limits/require-running.ts';

/** Clients or API keys, as far as their operations differ. */
interface ManagedKind<T, Query extends OwnedQuery<T>> {
  /** In messages. */
  readonly noun: string;
  readonly idKind: IdKind;
  /** The noun of its changes in the audit. */
  readonly audited: string;
  readonly idOf: (record: T) => string;
  readonly storeOf: (context: ManagementContext) => OwnedStore<T, Query>;
  readonly view: (record: T, context: ManagementContext) => Readonly<Record<string, unknown>>;
  /**
   * @param next undefined if it is deleted.
   * @throws {RefusedError} for a change that the caller may not make.
   */
  readonly checkChange?: (context: ManagementContext, before: T, next?: T) => Promise<void>;
}

function readingOf<T extends OwnedRecord, Query extends OwnedQuery<T>>({
  noun,
  idKind,
  idOf,
  storeOf,
}: ManagedKind<T, Query>) {
  /** @throws {NotFoundError} if there is none. */
  async function get(context: ManagementContext, id: string): Promise<T> {
    const found = await storeOf(context).find(id);
    if (found === undefined) throw new NotFoundError(noun, id);
    return found;
  }
  return {
    get,
    /** Finds what is about to be changed, if it still has the version that the caller has seen. */
    getToChange: async (context: ManagementContext, id: string, { ifVersion }: IfVersion) => {
      const record = await get(context, id);
      checkVersion(`the ${noun} ${id}`, ifVersion, record.version);
      return record;
    },
    /** One page. A text that is a full id finds that record with one read. */
    list: async (context: ManagementContext, query: Query): Promise<Page<T>> => {
      const { text = '' } = query;
      if (!isId(idKind, text)) {
        return toPage(await storeOf(context).readPage(query), byNameThen(idOf));
      }
      const record = await storeOf(context).find(text);
      const isWanted =
        record !== undefined && isOwnedItem(record, query) && query.matches?.(record) !== false;
      return { items: isWanted ? [record] : [], examined: 1 };
    },
  };
}

/**
 * Looks again after a write: two tables have no common condition. Who stops a trunk group or withdraws
 * a grant looks at records afterwards, so one of the two sees the other.
 *
 * @param undoing what an operator does if it cannot be undone.
 * @throws what the check throws: the write was undone.
 */
export async function keepIfAllowed(
  undoing: string,
  check: () => Promise<unknown>,
  undo: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    await undo().catch((cause: unknown) => {
      const text = `${undoing}: it was written and may not be allowed, and could not be undone`;
      throw new UnavailableError(text, { cause });
    });
    throw error;
  }
}

function writingOf<T extends OwnedRecord, Query extends OwnedQuery<T>>({
  audited,
  idOf,
  storeOf,
  view,
  checkChange,
}: ManagedKind<T, Query>) {
  return {
    /** @param checkAllowed what else is looked at again after the write. */
    create: async (
      context: ManagementContext,
      record: T,
      checkAllowed?: () => Promise<void>,
    ): Promise<void> => {
      const [subject, store] = [idOf(record), storeOf(context)];
      const check = () => requireRunning(context, [record.serviceTrunkGroup]);
      await check();
      const change = { action: `${audited}.create`, subject, after: view(record, context) };
      await makeAuditedChange(context, change, async () => {
        await store.create(record);
        const remove = () => store.delete(subject, record.version);
        const checkAgain = () => Promise.all([check(), checkAllowed?.()]);
        await keepIfAllowed(`delete ${subject}`, checkAgain, remove);
      });
    },
    /** Writes the next version. @throws {ConflictError} if it was changed in the meantime. */
    write: async (
      context: ManagementContext,
      before: T,
      action: string,
      changes: Partial<T>,
    ): Promise<T> => {
      const [version, updatedAt] = [before.version + 1, currentTime(context)];
      const next: T = { ...before, ...changes, version, updatedAt };
      await checkChange?.(context, before, next);
      const views = { before: view(before, context), after: view(next, context) };
      // The store of a caller refuses what is out of its reach or above its limits: stores-in-reach.ts.
      await makeAuditedChange(context, { action, subject: idOf(before), ...views }, () =>
        storeOf(context).replace(next),
      );
      return next;
    },
    /** Deletes what has already been read. */
    remove: async (context: ManagementContext, record: T): Promise<void> => {
      const subject = idOf(record);
      await makeAuditedChange(
        context,
        { action: `${audited}.delete`, subject, before: view(record, context) },
        () => storeOf(context).delete(subject, record.version),
      );
    },
  };
}

/**
 * The stops of a record after the caller enables or disables it, by its own kind of stop: the same
 * object if nothing changes.
 *
 * @throws {RefusedError} if only others stop it. It tells what lifts their stops.
 */
export async function switchedStops(
  context: ManagementContext,
  { stops }: Stoppable,
  id: string,
  enabled: boolean,
): Promise<Stops | undefined> {
  const kind = stopperOf(context);
  if (!enabled) return withStop(stops, kind, await newStop(context));
  const left = withoutStop(stops, kind);
  if (left === undefined || left !== stops) return left;
  const texts = describeStops(left, context.nameActor);
  throw new RefusedError(`${id} stays disabled: ${texts.join('; ')}`);
}

/** The operations that clients and API keys have in common. */
export function manageOwned<T extends OwnedRecord, Query extends OwnedQuery<T> = OwnedQuery<T>>(
  kind: ManagedKind<T, Query>,
) {
  const [reading, writing] = [readingOf(kind), writingOf(kind)];
  const { getToChange } = reading;
  return {
    ...reading,
    ...writing,
    idOf: kind.idOf,
    audited: kind.audited,
    view: kind.view,
    setEnabled: async (
      context: ManagementContext,
      id: string,
      enabled: boolean,
      options: IfVersion = {},
    ): Promise<T> => {
      const change = async () => {
        const before = await getToChange(context, id, options);
        const stops = await switchedStops(context, before, id, enabled);
        if (stops === before.stops) return before;
        const action = `${kind.audited}.${enabled ? 'enable' : 'disable'}`;
        return writing.write(context, before, action, { stops } as Partial<T>);
      };
      return enabled ? change() : repeatStop(options, change);
    },
    /** @returns the record as it was. */
    removeById: async (
      context: ManagementContext,
      id: string,
      options: IfVersion = {},
    ): Promise<T> => {
      const record = await getToChange(context, id, options);
      await kind.checkChange?.(context, record);
      await writing.remove(context, record);
      return record;
    },
  };
}

export type OwnedOperations<T extends OwnedRecord> = ReturnType<typeof manageOwned<T>>;
