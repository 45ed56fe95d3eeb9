import { parseDuration } from '../../core/duration.ts';
import { FormError } from './problems.ts';

/** A duration as users type it: `1 h`, `15m`, `3600`. */
export function readDuration(field: string, text: string): number {
  const seconds = parseDuration(text.replace(/\s/g, '').toLowerCase());
  if (seconds !== undefined) return seconds;
  const message = `Received “${text.slice(0, 40)}”; allowed: a time such as 15m, 1h or 7d, or a number of seconds.`;
  throw new FormError([{ field, message }]);
}
