import type { FieldKind } from '../contract/management/field-words.ts';
import { formatDuration, numberOrTyped, secondsOrTyped } from './duration.ts';
import { formatTime, parseTime } from './time.ts';

const readers: Readonly<Partial<Record<FieldKind, (text: string) => unknown>>> = {
  count: numberOrTyped,
  seconds: secondsOrTyped,
  // A stack makes a text of seconds since the epoch.
  time: (text) => parseTime(text) ?? numberOrTyped(text),
  flag: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

/** What a text means in a field of this kind. One that means nothing stays, and management refuses it. */
export function readTyped(kind: FieldKind | undefined, text: string): unknown {
  return (kind && readers[kind]?.(text)) ?? text;
}

/** A value as views and files have it. */
export function viewTyped<T>(kind: FieldKind, value: T): T | string {
  return kind === 'time' && typeof value === 'number' ? formatTime(value) : value;
}

/** A value as it is typed. */
export function formatTyped<T>(kind: FieldKind, value: T): T | string {
  const isSpan = kind === 'seconds' && typeof value === 'number';
  return isSpan ? formatDuration(value) : viewTyped(kind, value);
}
