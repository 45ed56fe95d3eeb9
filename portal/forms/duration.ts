import { formatDuration, parseDuration } from '../../core/duration.ts';
import { FormError } from './problems.ts';

/**
 * A duration as users type it: `1 h`, `15m`, `3600`.
 *
 * @param allowed seconds.
 * @throws {FormError} with the text as it was typed.
 */
export function readDuration(
  field: string,
  text: string,
  allowed?: { readonly minimum: number; readonly maximum: number },
): number {
  const seconds = parseDuration(text.replace(/\s/g, '').toLowerCase());
  const isAllowed =
    allowed === undefined ||
    seconds === undefined ||
    (seconds >= allowed.minimum && seconds <= allowed.maximum);
  if (seconds !== undefined && isAllowed) return seconds;
  const range =
    allowed && `${formatDuration(allowed.minimum)} to ${formatDuration(allowed.maximum)}`;
  const example =
    range === undefined
      ? 'a time such as 15m, 1h or 7d, or a number of seconds'
      : `${range}${seconds === undefined ? ', such as 15m or 1h' : ''}`;
  const message = `Received “${text.slice(0, 40)}”; allowed: ${example}.`;
  throw new FormError([{ field, message }]);
}
