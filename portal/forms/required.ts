import type { Fields } from './fields.ts';
import { FormError, problemsOf } from './problems.ts';

/** What is wrong with a value that can be read without the library. */
function problemsOfReading(read: () => unknown) {
  try {
    read();
    return [];
  } catch (error) {
    return problemsOf(error)?.fields ?? [];
  }
}

/**
 * @param read reads other fields of the form. Their problems are told together with the others.
 * @throws {FormError} with every one of these fields that is empty, so that all are seen at once.
 */
export function requireFields(
  form: Fields,
  messages: Readonly<Record<string, string>>,
  read: () => unknown = () => undefined,
): void {
  const missing = Object.entries(messages).filter(
    ([field]) => !form.all(field).some((value) => value.trim() !== ''),
  );
  const problems = [
    ...missing.map(([field, message]) => ({ field, message })),
    ...problemsOfReading(read),
  ];
  if (problems.length > 0) throw new FormError(problems);
}
