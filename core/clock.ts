/**
 * A clock that tells milliseconds since the epoch, as `Date.now` does. Every `clock` is one. A time
 * in seconds, as tokens and records have it, is called `now`.
 */
export type Clock = () => number;

/** Whole seconds of a time in milliseconds. */
export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
