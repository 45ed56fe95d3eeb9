import type { Fields } from './fields.ts';
import { type FieldProblem, FormError, problemsOf } from './problems.ts';

/** What is wrong with values that can be read without the library. */
function problemsOfReading(checks: readonly (() => unknown)[]): readonly FieldProblem[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return problemsOf(error)?.fields ?? [];
    }
  });
}

/**
 * @param checks read one field each. Their problems are told together, so that all are seen at once.
 * @throws {FormError} with every field that is empty or has a problem.
 */
export function requireFields(
  form: Fields,
  messages: Readonly<Record<string, string>>,
  checks: readonly (() => unknown)[] = [],
): void {
  const missing = Object.entries(messages).filter(
    ([field]) => !form.all(field).some((value) => value.trim() !== ''),
  );
  const empty = new Set(missing.map(([field]) => field));
  const problems = [
    ...missing.map(([field, message]) => ({ field, message })),
    ...problemsOfReading(checks).filter(({ field }) => !empty.has(field)),
  ];
  if (problems.length > 0) throw new FormError(problems);
}
