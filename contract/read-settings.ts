import type { FunctionName } from './function-names.ts';
import type { Settings } from './function-settings.ts';

/** The variable in which a function finds its settings. */
export const settingsVariable = 'AUTH_SETTINGS';

/**
 * Reads a function's settings once, at INIT. The stack that wrote them deployed the code with them.
 *
 * @throws {Error} if there are none.
 */
export function readSettings<F extends FunctionName>(
  name: F,
  { [settingsVariable]: text = '' }: Readonly<Record<string, string | undefined>>,
): Settings<F> {
  if (text === '') throw new Error(`the ${name} function: ${settingsVariable} is missing`);
  return JSON.parse(text) as Settings<F>;
}

/** Settings as the variables of a process. */
export function settingsVariables(settings: object): Readonly<Record<string, string>> {
  return { [settingsVariable]: JSON.stringify(settings) };
}
