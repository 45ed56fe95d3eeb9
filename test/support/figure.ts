import { appendFileSync } from 'node:fs';

/**
 * Prints what a promise of SECURITY.md is backed by: values that were counted or measured, never
 * ones that the test contains. `FIGURES=<file>` collects the lines.
 *
 * @param what e.g. `KMS throttles every Sign`.
 */
export function figure(what: string, values: Readonly<Record<string, number | string>>): void {
  const shown = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const line = `figure: ${what}: ${shown.join(', ')}\n`;
  process.stdout.write(line);
  const file = process.env['FIGURES'];
  if (file !== undefined && file !== '') appendFileSync(file, line);
}
