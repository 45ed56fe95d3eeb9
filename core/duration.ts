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

/**
 * What was typed and cannot be read, in place of the value. It has no type that a field takes, so
 * management refuses it, and its message has the text and what the field allows.
 */
export function unreadText(text: string): never {
  return text as never;
}

/** Seconds, or the text that was typed: see {@link unreadText}. */
export function secondsOrTyped(text: string): number;
export function secondsOrTyped(text: string | undefined): number | undefined;
export function secondsOrTyped(text: string | undefined) {
  return text === undefined ? undefined : (parseDuration(text) ?? unreadText(text));
}

/** A whole number, or the text that was typed. */
export function numberOrTyped(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : unreadText(text);
}

/**
 * What management says about seconds, to a person who typed a duration: `received 172800; allowed: 60
 * to 86400 seconds` becomes `received "2d"; allowed: 1m to 1d, such as 15m or 1h`. So does what it
 * says about the end that the duration means. Others stay.
 */
export function sayAsDuration(problem: string, typed: string): string {
  const received = `received ${JSON.stringify(typed)}; allowed: `;
  const [, end] = /; allowed: (an end at most \S+ from now)$/.exec(problem) ?? [];
  if (end !== undefined) return parseDuration(typed) === undefined ? problem : received + end;
  const [, atMost, least, most, rest = ''] =
    /; allowed: (at most )?(\d+)(?: to (\d+))? seconds(.*)$/.exec(problem) ?? [];
  if (least === undefined) return problem;
  if (atMost !== undefined) return `${received}${atMost}${formatDuration(Number(least))}`;
  const bounds = [least, most].filter((one) => one !== undefined).map(Number);
  return `${received}${bounds.map(formatDuration).join(' to ')}${rest}, such as 15m or 1h`;
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
