import type { BindingSettings } from '../../contract/function-settings.ts';
import type { FindBinding } from '../../core/token/token-binding.ts';
import { createBinding } from '../../core/token/token-binding.ts';

/**
 * What checks the proofs of token requests. It is a file of its own, which the token function loads
 * when the first of them arrives: nothing here may count on the classes of `index.js`.
 */
export function openBinding(settings: BindingSettings): FindBinding {
  const find = createBinding(settings);
  return async (...request) => find(...request);
}
