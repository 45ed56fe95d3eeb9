import { type ExpiryValues, offeredExpiries } from '../forms/expiry.ts';
import { type Problems, problemAt } from '../forms/problems.ts';
import { radioGroup } from './field.ts';
import { type Html, html } from './html.ts';
import { formatExactSpan, formatMinute } from './time.ts';

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
