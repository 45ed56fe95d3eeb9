import type { Option } from 'commander';
import { InputError } from '../core/errors.ts';

/** Options that have another name than the field of the library. */
const optionNames: ReadonlyMap<string, string> = new Map([['serviceTrunkGroup', 'trunkGroup']]);

function findOption(options: readonly Option[], field: string): Option | undefined {
  // An option that may be repeated holds one value of a list: --scope of scopes.
  const names = [optionNames.get(field) ?? field, field.replace(/s$/, '')];
  return options.find((option) => !option.negate && names.includes(option.attributeName()));
}

/**
 * Names the option that a person typed instead of the field of the library.
 *
 * @param options of the command.
 */
export function nameOption(error: unknown, options: readonly Option[]): unknown {
  if (!(error instanceof InputError) || error.field === undefined) return error;
  const label = findOption(options, error.field)?.long;
  if (label === undefined) return error;
  return new InputError(error.problem, { field: error.field, label, cause: error });
}
