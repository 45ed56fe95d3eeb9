import { secondsPerDay } from '../../contract/bounds.ts';
import { formatTime } from '../../core/time.ts';
import { type Html, html } from './html.ts';

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', secondsPerDay],
  ['hour', 3600],
  ['minute', 60],
] as const;

function count(value: number, unit: string): string {
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}

/**
 * A duration in its largest whole unit: `12 days`. Two months are still shown in days. What lacks a
 * 24th of a unit is a whole one: an end in 7 days is still in 7 days some minutes after it was chosen.
 */
export function formatSpan(seconds: number): string {
  const size = Math.abs(seconds);
  const found = units
    .map(([unit, length]) => [Math.floor(size / length + 1 / 24), unit] as const)
    .find(([value], index) => value >= (index < 2 ? 2 : 1));
  return found === undefined ? 'less than a minute' : count(...found);
}

/** `in 12 days`, `3 hours ago`. */
export function formatRelative(time: number, now: number): string {
  if (Math.abs(time - now) < 60) return time > now ? 'in less than a minute' : 'just now';
  return time > now ? `in ${formatSpan(time - now)}` : `${formatSpan(now - time)} ago`;
}

/** `2026-11-21 10:30 UTC`. */
export function formatMinute(time: number): string {
  return `${formatTime(time).slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
}

/** A time in UTC with its distance from now. */
export function timeWithDistance(time: number, now: number): Html {
  return html`
    <time datetime="${formatTime(time)}">${formatMinute(time)}</time> <span class="muted">
    ${formatRelative(time, now)}</span>
  `;
}

/** A time in other words, with the exact one as a tooltip. */
function timeAs(time: number, text: string): Html {
  return html`<time datetime="${formatTime(time)}" title="${formatMinute(time)}">${text}</time>`;
}

/** The distance from now. */
export function distance(time: number, now: number): Html {
  return timeAs(time, formatRelative(time, now));
}

/** A time in a table cell: its day, and its distance below. */
export function endTime(time: number, now: number): Html {
  const day = timeAs(time, `${formatTime(time).slice(0, 'yyyy-mm-dd'.length)} UTC`);
  return html`${day}<span class="sub">${formatRelative(time, now)}</span>`;
}

/** The day of a last use in a table cell: `Today`, `Never`. */
export function lastUseText(day: string | undefined, now: number): string {
  if (day === undefined) return 'Never';
  const text = formatDayDistance(day, now);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A UTC day, such as the last use of a secret: `today`, `3 days ago`. */
export function formatDayDistance(day: string, now: number): string {
  const days = Math.floor(now / secondsPerDay) - Math.floor(Date.parse(day) / 1000 / secondsPerDay);
  if (days <= 0) return 'today';
  return days === 1 ? 'yesterday' : `${count(days, 'day')} ago`;
}

/** The exact duration in the largest possible unit: `1 hour`, `90 minutes`. */
export function formatExactSpan(seconds: number): string {
  const found = units.slice(2).find(([, unit]) => seconds >= unit && seconds % unit === 0);
  return found === undefined ? count(seconds, 'second') : count(seconds / found[1], found[0]);
}
