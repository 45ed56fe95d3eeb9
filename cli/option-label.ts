import type { Option } from 'commander';
import { sayAsDuration } from '../core/duration.ts';
import { InputError, type InputProblem } from '../core/errors.ts';

/** Options that have another name than the field of the library. */
const optionNames: ReadonlyMap<string, string> = new Map([
  ['serviceTrunkGroup', 'trunkGroup'],
  ['expiresAt', 'expiresIn'],
  ['overlap', 'expireOldIn'],
  ['sourceAddress', 'sourceIp'],
]);

/** The options of a command, and which of them a person typed. */
export interface CommandOptions {
  readonly options: readonly Option[];
  /** @param name of an option's value, e.g. `expiresIn`. */
  readonly isGiven: (name: string) => boolean;
  readonly valueOf: (name: string) => unknown;
}

function findOption({ options, isGiven }: CommandOptions, field: string): Option | undefined {
  // An option that may be repeated holds one value of a list: --scope of scopes.
  const names = [field, optionNames.get(field), field.replace(/s$/, '')];
  const found = options.filter(
    (option) => !option.negate && names.includes(option.attributeName()),
  );
  return found.find((option) => isGiven(option.attributeName())) ?? found[0];
}

/** Names the options that a person typed, and durations as typed, instead of the library's fields. */
export function nameOption(error: unknown, command: CommandOptions): unknown {
  if (!(error instanceof InputError)) return error;
  const name = (problem: InputProblem): InputProblem => {
    const option = problem.field === undefined ? undefined : findOption(command, problem.field);
    if (option?.long === undefined || option.long === null) return problem;
    const typed = String(command.valueOf(option.attributeName()));
    return { ...problem, label: option.long, problem: sayAsDuration(problem.problem, typed) };
  };
  const [first, ...more] = error.problems;
  const named = new InputError([name(first), ...more.map(name)], { cause: error });
  return named.message === error.message ? error : named;
}
