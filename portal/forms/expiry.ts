import { parseTime } from '../../core/rfc3339.ts';
import type { Fields } from './fields.ts';
import { FormError } from './problems.ts';

const day = 86_400;

/** Choices for an end in a form. `days-90` means in 90 days. */
export const expiryChoices = [
  ['never', 'Never'],
  ['days-30', 'In 30 days'],
  ['days-90', 'In 90 days'],
  ['days-365', 'In a year'],
  ['date', 'On a day'],
] as const;

export interface ExpiryValues {
  readonly expiry: string;
  readonly expiryDate: string;
}

export function readExpiryValues(form: Fields): ExpiryValues {
  return { expiry: form.text('expiry') || 'never', expiryDate: form.text('expiryDate') };
}

/**
 * @returns seconds since the epoch; null for never; undefined if the end stays as it is.
 * @throws {FormError} if a day is selected but not given.
 */
export function readExpiry(
  { expiry, expiryDate }: ExpiryValues,
  now: number,
): number | null | undefined {
  if (expiry === 'keep') return undefined;
  if (expiry === 'never') return null;
  const [, days] = /^days-(\d{1,4})$/.exec(expiry) ?? [];
  if (days !== undefined) return now + Number(days) * day;
  const time = parseTime(expiryDate.trim());
  if (time !== undefined) return time;
  const message = `Received “${expiryDate.slice(0, 40)}”; allowed: a day such as 2027-03-31.`;
  throw new FormError([{ field: 'expiresAt', message }]);
}
