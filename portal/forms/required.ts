import type { Fields } from './fields.ts';
import { FormError } from './problems.ts';

/** @throws {FormError} with all of these fields that are empty. */
export function requireFields(form: Fields, messages: Readonly<Record<string, string>>): void {
  const missing = Object.entries(messages).filter(
    ([field]) => !form.all(field).some((value) => value.trim() !== ''),
  );
  if (missing.length === 0) return;
  throw new FormError(missing.map(([field, message]) => ({ field, message })));
}
