import { isJsonObject, type JsonObject } from '../contract/json-object.ts';
import { type StopKind, stopKinds } from '../contract/stop-kinds.ts';
import { formatTime } from './time.ts';

/** A deed by which something stopped. */
export interface Stop {
  /** Seconds since the epoch. */
  readonly at: number;
  /** The actor of the audit. */
  readonly by: string;
  /** The id of what asked for it: of a stack's event, for example. */
  readonly event?: string | undefined;
  /** Of a person, as the identity provider last gave it. It is in results, and never stored. */
  readonly name?: string | undefined;
}

/** At most one stop of each kind, and at least one. */
export type Stops = Readonly<Partial<Record<StopKind, Stop>>>;

/** A client, a secret or key, an API key or a provider. It works if it has no stops. */
export interface Stoppable {
  readonly stops?: Stops | undefined;
}

/** Whether nothing stops a record. An end, or what it belongs to, may. */
export function isEnabled({ stops }: Stoppable): boolean {
  return stops === undefined;
}

/** Whether one of its stops is of this kind. */
export function isStoppedBy({ stops }: Stoppable, kind: StopKind): boolean {
  return stops?.[kind] !== undefined;
}

/** The stops with one more. A stop of the same kind stays: the first deed counts. */
export function withStop(stops: Stops | undefined, kind: StopKind, stop: Stop): Stops {
  return stops?.[kind] === undefined ? { ...stops, [kind]: stop } : stops;
}

/** The stops without one kind: the same object if it was not there, undefined if none is left. */
export function withoutStop(stops: Stops | undefined, kind: StopKind): Stops | undefined {
  if (stops?.[kind] === undefined) return stops;
  const { [kind]: _, ...others } = stops;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** Every stop of either. Of two of one kind, the earlier. */
export function meetStops(a: Stops | undefined, b: Stops | undefined): Stops | undefined {
  return stopKinds.reduce(
    (all, kind) => {
      const stop = [a?.[kind], b?.[kind]]
        .filter((one) => one !== undefined)
        .toSorted((one, other) => one.at - other.at)[0];
      return stop === undefined ? all : withStop(all, kind, stop);
    },
    undefined as Stops | undefined,
  );
}

/** Whether nothing but one kind of stop stops a record. */
export function isStoppedOnlyBy({ stops = {} }: Stoppable, kind: StopKind): boolean {
  return stopKinds.every((one) => (stops[one] === undefined) === (one !== kind));
}

/** Stops as they are shown and audited. */
export function viewStops(stops: Stops | undefined) {
  return (
    stops &&
    Object.fromEntries(
      Object.entries(stops).map(([kind, stop]) => [kind, { ...stop, at: formatTime(stop.at) }]),
    )
  );
}

/** A JSON value with other stops in it, at any depth. */
export function mapStops(value: unknown, change: (stop: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => mapStops(one, change));
  if (!isJsonObject(value)) return value;
  const changed = (stop: unknown) => (isJsonObject(stop) ? change(stop) : stop);
  const members = Object.entries(value).map(([name, member]) => {
    // What a token says may look like a stop.
    if (name === 'received') return [name, member];
    if (name !== 'stops' || !isJsonObject(member)) return [name, mapStops(member, change)];
    return [name, Object.fromEntries(Object.entries(member).map(([k, v]) => [k, changed(v)]))];
  });
  return Object.fromEntries(members);
}

const words: Readonly<Record<StopKind, readonly [who: string, whatLifts: string]>> = {
  person: ['a person', 'a person enables it'],
  stack: ['its stack', 'the stack declares it again, or a person takes its client over'],
  trunk_group: ['a stop of its service trunk group', 'the staff resumes the trunk group'],
  deletion: ['its deletion', 'nothing: the deletion is continued'],
};

/**
 * Who stopped a record, when, and what lifts it: a text for each stop.
 *
 * @param nameOf the author, as the reader may know it.
 */
export function describeStops(
  stops: Stops = {},
  nameOf = (actor: string): string => actor,
): readonly string[] {
  return stopKinds.flatMap((kind) => {
    const stop = stops[kind];
    if (stop === undefined) return [];
    const [who, lifts] = words[kind];
    const author = stop.name === undefined ? nameOf(stop.by) : JSON.stringify(stop.name);
    return `stopped by ${who} (${author}) at ${formatTime(stop.at)}; ends if ${lifts}`;
  });
}
