import { secondsPerDay } from '../contract/bounds.ts';
import { unreadText } from './duration.ts';

/**
 * A clock that tells milliseconds since the epoch, as `Date.now` does. Every `clock` is one. A time
 * in seconds, as tokens and records have it, is called `now`.
 */
export type Clock = () => number;

/** Whole seconds of a time in milliseconds. */
export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/**
 * The day that was formatted last, which is nearly always needed again. Formatting it with Date
 * takes up to 17 µs, and a token needs it four times.
 */
let lastDay = { number: Number.NaN, text: '' };

/**
 * UTC day of a time in seconds since the epoch: `2026-11-20`.
 *
 * @throws {RangeError} for a time that Date cannot hold.
 */
export function formatDay(time: number): string {
  const number = Math.floor(time / secondsPerDay);
  if (number !== lastDay.number) {
    const [text = ''] = new Date(number * secondsPerDay * 1000).toISOString().split('T');
    lastDay = { number, text };
  }
  return lastDay.text;
}

/** A part of a time, of a fixed width. */
function digits(value: number, width = 2): string {
  return String(Math.floor(value)).padStart(width, '0');
}

/** RFC 3339 UTC text of a time in seconds since the epoch: `2026-11-20T12:00:00Z`. */
export function formatTime(time: number): string {
  const day = formatDay(time);
  const rest = time - lastDay.number * secondsPerDay;
  return `${day}T${digits(rest / 3600)}:${digits((rest / 60) % 60)}:${digits(rest % 60)}Z`;
}

/** RFC 3339 UTC text of a time in milliseconds since the epoch: `2026-11-20T12:00:00.123Z`. */
export function formatMilliseconds(milliseconds: number): string {
  const time = seconds(milliseconds);
  return `${formatTime(time).slice(0, -1)}.${digits(milliseconds - time * 1000, 3)}Z`;
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const date = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads RFC 3339 text with its offset, or a day, which means its first second in UTC.
 *
 * @returns seconds since the epoch, or undefined if the text is neither or there is no such day.
 */
export function parseTime(text: string): number | undefined {
  const isDay = date.test(text);
  if (!isDay && !dateTime.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  // Date.parse reads the 31st of February as the 3rd of March.
  const day = Number(text.slice(8, 10));
  const daysInMonth = new Date(
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0),
  ).getUTCDate();
  return day <= daysInMonth ? seconds(milliseconds) : undefined;
}

/** The last second of the UTC day of a time: when what is valid to that day expires. */
export function endOfDay(time: number): number {
  return (Math.floor(time / secondsPerDay) + 1) * secondsPerDay - 1;
}

/**
 * Reads when a credential expires. A day, without a time, is the end of that day in UTC, so that
 * "tomorrow" is in the future in every time zone.
 *
 * @returns seconds since the epoch, or undefined as for {@link parseTime}.
 */
export function parseExpiry(text: string): number | undefined {
  const time = parseTime(text);
  return time !== undefined && date.test(text) ? endOfDay(time) : time;
}

/** The same, or the text that was typed: see {@link unreadText}. */
export function expiryOrTyped(text: string): number {
  return parseExpiry(text) ?? unreadText(text);
}

/** Whether a text is a day of the calendar, e.g. `2026-11-20`. */
export function isDay(text: string): boolean {
  return date.test(text) && parseTime(text) !== undefined;
}
