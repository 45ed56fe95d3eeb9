import { isJsonObject } from '../contract/json-object.ts';
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

/** A JSON value with the authors of the stops in it, at any depth, by other names. */
export function withAuthors(value: unknown, nameOf: (actor: string) => string): unknown {
  const rename = (name: string, member: unknown): unknown => {
    if (name !== 'stops' || !isJsonObject(member)) return member;
    const named = (stop: unknown) =>
      isJsonObject(stop) ? { ...stop, by: nameOf(String(stop['by'])) } : stop;
    return Object.fromEntries(Object.entries(member).map(([kind, stop]) => [kind, named(stop)]));
  };
  return value === undefined ? value : JSON.parse(JSON.stringify(value), rename);
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
    return `stopped by ${who} (${nameOf(stop.by)}) at ${formatTime(stop.at)}; ends if ${lifts}`;
  });
}
