import { isJsonObject } from '../../contract/json-object.ts';
import { ownValue } from '../../contract/own-value.ts';

/** What a meet returns if no value stands for what both allow, because that is nothing. */
export const nothing = Symbol('nothing');

type Meet<V> = (a: V, b: V) => V | typeof nothing;

/** Over which later states less counts: every one of them, or the last and those that are uncertain. */
type Over = 'ever' | 'last';

/** An attribute that a later state can narrow. */
interface Narrowed<V> {
  readonly over: Over;
  /** What both allow, in the words of the second if that allows no more. */
  readonly meet: Meet<V>;
}

/**
 * What less of each attribute of a record means. Restores, the changes that only stop, and the meet of
 * limits follow from it; rules about several attributes are code.
 *
 * - `identity` never changes, `label` gives nothing and is the last one, `bookkeeping` is written by the
 *   store or by rules of its own.
 */
export type NarrowTable<T> = {
  readonly [Name in keyof Required<T>]: 'identity' | 'label' | 'bookkeeping' | Narrowed<T[Name]>;
};

type ChangedName<T, Table extends NarrowTable<T>> = {
  [Name in keyof T]-?: Table[Name] extends 'identity' | 'bookkeeping' ? never : Name;
}[keyof T];

/** A later state of a record: its labels, and each attribute that it can narrow, but for those that others replay. */
export type LaterOf<T, Table extends NarrowTable<T>, Other extends keyof T = never> = {
  readonly [Name in Exclude<ChangedName<T, Table>, Other>]: T[Name];
};

/** What later states say of a record. */
interface Later<T> extends Partial<Readonly<Record<Over, readonly Partial<T>[]>>> {
  /** The state that has the labels; the record itself if left out. */
  readonly labels?: Partial<T> | undefined;
}

/** The attributes that give nothing. */
export function labelsOf(table: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(table).filter((name) => table[name] === 'label');
}

type AnyTable = Readonly<Record<string, string | Narrowed<unknown>>>;
type AnyRecord = Readonly<Record<string, unknown>>;

/** A record reduced by later states, and the attributes of which nothing is left: they stay as stored. */
export function narrow<T extends object>(
  table: NarrowTable<T>,
  stored: T,
  later: Later<T>,
): { readonly item: T; readonly empty: ReadonlySet<keyof T> } {
  const item = { ...stored } as Record<string, unknown>;
  for (const name of labelsOf(table)) item[name] = ownValue(later.labels ?? stored, name);
  const empty = new Set<keyof T>();
  for (const [name, row] of Object.entries(table as unknown as AnyTable)) {
    if (typeof row === 'string') continue;
    const states = ((later[row.over] ?? []) as readonly AnyRecord[])
      .filter((state) => Object.hasOwn(state, name))
      .map((state) => ownValue(state, name));
    const meet = (left: unknown, state: unknown) =>
      left === nothing ? nothing : row.meet(left, state);
    const value = states.reduce(meet, item[name]);
    if (value === nothing) empty.add(name as keyof T);
    else item[name] = value;
  }
  return { item: item as T, empty };
}

/** As it is stored: without members that have no value, and in one order. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) => {
    if (!isJsonObject(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Whether two values are the same as they are stored. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Whether all attributes are the same but those that are compared by themselves. */
export function isSameOtherwise<T extends object>(
  before: T,
  after: T,
  compared: readonly (keyof T)[],
): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof T>;
  return [...names].every((name) => compared.includes(name) || isSame(before[name], after[name]));
}

/** Whether a change only takes something away. An attribute without a row is no mere stop. */
export function onlyNarrows<T extends object>(table: NarrowTable<T>, before: T, after: T): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((name) => {
    const row = ownValue(table as unknown as AnyTable, name);
    if (row === 'bookkeeping') return true;
    const [from, to] = [before, after].map((one) => ownValue({ ...(one as AnyRecord) }, name));
    const left = typeof row === 'object' ? row.meet(from, to) : from;
    return left !== nothing && isSame(left, to);
  });
}

/** What two records allow. */
export function meetRecords<T extends object>(table: NarrowTable<T>, a: T, b: T): T {
  return narrow(table, a, { ever: [b], last: [b] }).item;
}
