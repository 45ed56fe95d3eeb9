import { type ExpiryValues, expiryChoices } from '../forms/expiry.ts';
import { type Problems, problemAt } from '../forms/problems.ts';
import { radioGroup } from './field.ts';
import { type Html, html } from './html.ts';

/** A field for the expiry of a secret. @param keep the present value, if it can stay. */
export function expiryField(
  label: string,
  values: ExpiryValues,
  problems: Problems,
  keep?: string,
): Html {
  const error = problemAt(problems, 'expiresAt');
  const isTyped = error !== undefined && values.expiryDate !== '';
  const date = html`<input type="date" name="expiryDate" value="${values.expiryDate}" aria-label="Day on which it expires"><span class="hint"> at 00:00 UTC</span>`;
  return radioGroup({
    name: 'expiresAt',
    group: 'expiry',
    label,
    hint: 'A secret that has expired no longer works. It can be replaced before that without a gap.',
    value: isTyped ? 'date' : values.expiry,
    error,
    options: [
      ...(keep === undefined ? [] : [{ value: 'keep', text: keep }]),
      ...expiryChoices.map(([value, text]) =>
        value === 'date' ? { value, text, more: date } : { value, text },
      ),
    ],
  });
}
