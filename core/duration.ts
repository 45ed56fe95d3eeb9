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
 * @returns seconds; undefined if the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, letter = 's'] = pattern.exec(text) ?? [];
  const seconds = units.find(([unit]) => unit === letter)?.[1];
  return digits === undefined || seconds === undefined ? undefined : Number(digits) * seconds;
}

/** The shortest exact text: `1h`, `90m`, `3601s`. */
export function formatDuration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? [
    's',
    1,
  ];
  return `${seconds / size}${unit}`;
}

/** A span in its two largest units, of which days are the largest: `23h 4m`. */
export function formatSpan(seconds: number): string {
  const size = Math.abs(Math.round(seconds));
  const [, ...fromDays] = units;
  const first = fromDays.findIndex(([, unit]) => size >= unit);
  if (first === -1) return '0s';
  let rest = size;
  const parts = fromDays.slice(first, first + 2).flatMap(([letter, unit]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return count === 0 ? [] : [`${count}${letter}`];
  });
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
