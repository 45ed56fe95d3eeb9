import { secondsPerDay } from '../../contract/limits.ts';
import { parseTime } from '../../core/rfc3339.ts';
import { requireChoice } from './choice.ts';
import type { Fields } from './fields.ts';
import { FormError } from './problems.ts';

const dayLabel = 'On a day';

/** Choices for an expiry in a form. `days-90` means in 90 days. */
export const expiryChoices = [
  ['never', 'Never'],
  ['days-30', 'In 30 days'],
  ['days-90', 'In 90 days'],
  ['days-365', 'In a year'],
  ['date', dayLabel],
] as const;

export interface ExpiryValues {
  readonly expiry: string;
  readonly expiryDate: string;
}

/** @param fallback the choice if the form has none. */
export function readExpiryValues(form: Fields, fallback = 'never'): ExpiryValues {
  return { expiry: form.text('expiry') || fallback, expiryDate: form.text('expiryDate') };
}

/**
 * @returns seconds since the epoch; null for never; undefined if the expiry stays as it is.
 * @throws {FormError} if a day is selected but not given, or given but not selected.
 */
export function readExpiry(
  { expiry, expiryDate }: ExpiryValues,
  now: number,
): number | null | undefined {
  requireChoice({
    field: 'expiresAt',
    label: dayLabel,
    isChosen: expiry === 'date',
    text: expiryDate,
    what: 'the day',
  });
  if (expiry === 'keep') return undefined;
  if (expiry === 'never') return null;
  const [, days] = /^days-(\d{1,4})$/.exec(expiry) ?? [];
  if (days !== undefined) return now + Number(days) * secondsPerDay;
  const time = parseTime(expiryDate.trim());
  if (time !== undefined) return time;
  const message = `Received “${expiryDate.slice(0, 40)}”; allowed: a day such as 2027-03-31.`;
  throw new FormError([{ field: 'expiresAt', message }]);
}
