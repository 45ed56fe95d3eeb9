/** RFC 3339 UTC text of a time in seconds since the epoch: `2026-11-20T12:00:00Z`. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const date = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads RFC 3339 text with its offset, or a day, which means its first second in UTC.
 *
 * @returns seconds since the epoch, or undefined where the text is neither or there is no such day.
 */
export function parseTime(text: string): number | undefined {
  const isDay = date.test(text);
  if (!isDay && !dateTime.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  // Date.parse takes the 31st of February for the 3rd of March.
  const day = Number(text.slice(8, 10));
  const daysInMonth = new Date(
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0),
  ).getUTCDate();
  return day <= daysInMonth ? Math.floor(milliseconds / 1000) : undefined;
}
