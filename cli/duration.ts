import { UsageError } from './usage-error.ts';

/** Seconds of each unit, longest first. */
const units = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

const pattern = /^(\d{1,9})([wdhms])?$/;

/**
 * Reads `90d`, `1h`, `30m`, `45s`, `2w`, or a plain number of seconds.
 *
 * @param flag the option that the text came with, for the message.
 */
export function parseDuration(text: string, flag: string): number {
  const [, digits, letter = 's'] = pattern.exec(text) ?? [];
  const seconds = units.find(([unit]) => unit === letter)?.[1];
  if (digits === undefined || seconds === undefined) {
    throw new UsageError(
      `${flag}: received "${text}"; allowed: a number of seconds, or with a unit: 45s, 30m, 1h, 90d, 2w`,
    );
  }
  return Number(digits) * seconds;
}

/** The shortest exact text: `1h`, `90m`, `3601s`. */
export function formatDuration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? [
    's',
    1,
  ];
  return `${seconds / size}${unit}`;
}
