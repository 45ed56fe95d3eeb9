import { type Environment, environments, type FunctionName } from '../../contract/environment.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';

/** Reads a function's environment by the function's name, for processes that run several. */
export function readEnvironment<F extends FunctionName>(
  name: F,
  source: Readonly<Record<string, string | undefined>>,
): Environment<F> {
  return readVariables(name, environments[name], source);
}
