import type { BindingVariables } from '../../contract/function-environments.ts';
import type { FindBinding } from '../../core/token/token-binding.ts';
import { createBinding } from '../../core/token/token-binding.ts';

/**
 * What checks the proofs of token requests. It is a file of its own, which the token function loads
 * when the first of them arrives: nothing here may count on the classes of `index.js`.
 *
 * @param variables `AUTH_DPOP`: JSON that the stack wrote.
 */
export function openBinding(variables: string): FindBinding {
  const find = createBinding(JSON.parse(variables) as BindingVariables);
  return async (...request) => find(...request);
}
