import { secondsPerDay } from '../../contract/bounds.ts';
import { expiryOrTyped } from '../../core/time.ts';
import { radioGroup } from '../html/field.ts';
import { type Html, html } from '../html/html.ts';
import { formatExactSpan, formatMinute } from '../html/time.ts';
import { type Fields, type Problems, problemAt, requireChoice } from './problems.ts';

const dayLabel = 'On a day';

/** Choices for an expiry in a form. `days-90` means in 90 days. */
const expiryChoices = [
  ['never', 'Never'],
  ['days-30', 'In 30 days'],
  ['days-90', 'In 90 days'],
  ['days-365', 'In a year'],
  ['date', dayLabel],
] as const;

/** Days of a choice; undefined for the others. */
function daysOf(choice: string): number | undefined {
  const [, days] = /^days-(\d{1,4})$/.exec(choice) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** The choices within the longest life that a secret may have, in seconds. */
function offeredExpiries(maxLifetime: number | undefined) {
  return expiryChoices.filter(([choice]) => {
    if (maxLifetime === undefined || choice === 'date') return true;
    return (daysOf(choice) ?? Number.POSITIVE_INFINITY) * secondsPerDay <= maxLifetime;
  });
}

/** Never, or the longest choice that there is. */
export function defaultExpiry(maxLifetime: number | undefined): string {
  const offered = offeredExpiries(maxLifetime);
  return maxLifetime === undefined ? 'never' : (offered.at(-2)?.[0] ?? 'date');
}

export type ExpiryValues = Readonly<ReturnType<typeof readExpiryValues>>;

/** @param fallback the choice if the form has none. */
export function readExpiryValues(form: Fields, fallback = 'never') {
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
  const days = daysOf(expiry);
  if (days !== undefined) return now + days * secondsPerDay;
  return expiryOrTyped(expiryDate.trim());
}

interface ExpiryField {
  readonly label: string;
  readonly values: ExpiryValues;
  readonly problems: Problems;
  /** What has an expiry that can stay. */
  readonly present?: { readonly expiresAt?: number | undefined };
  /** Seconds that a secret may have left. */
  readonly maxLifetime: number | undefined;
}

const keepText = ({ expiresAt }: NonNullable<ExpiryField['present']>) =>
  `As it is: ${expiresAt === undefined ? 'never' : formatMinute(expiresAt)}`;

/** A field for the expiry of a secret or an API key. */
export function expiryField(field: ExpiryField): Html {
  const { label, values, problems, present, maxLifetime } = field;
  const error = problemAt(problems, 'expiresAt');
  const isTyped = error !== undefined && values.expiryDate !== '';
  const date = html`
    <input type="date" name="expiryDate" value="${values.expiryDate}" aria-label="Day on which it expires">
    <span class="hint"> until 23:59 UTC</span>
  `;
  return radioGroup({
    name: 'expiresAt',
    group: 'expiry',
    label,
    hint: `Then it no longer works. It can be replaced before that without a gap.${
      maxLifetime === undefined
        ? ''
        : ` In this trunk group, it may be valid for at most ${formatExactSpan(maxLifetime)}.`
    }`,
    value: isTyped ? 'date' : values.expiry,
    error,
    options: [
      ...(present === undefined ? [] : [{ value: 'keep', text: keepText(present) }]),
      ...offeredExpiries(maxLifetime).map(([value, text]) =>
        value === 'date' ? { value, text, more: date } : { value, text },
      ),
    ],
  });
}
