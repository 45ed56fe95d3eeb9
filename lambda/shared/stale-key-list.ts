import { describeError } from '../../core/describe-error.ts';
import type { Exchange } from './exchange.ts';

/**
 * Adds to the log line of a successful response that it comes from an old list of keys, and why.
 * Otherwise the problem would not be visible.
 *
 * @param failure undefined if the list is fresh.
 */
export function noteStaleKeyList(exchange: Exchange, failure: unknown): void {
  if (failure === undefined) return;
  const { error_name, error_message } = describeError(failure);
  exchange.fields['key_list_error_name'] = error_name;
  exchange.fields['key_list_error_message'] = error_message;
}
