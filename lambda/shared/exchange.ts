import type { Context } from 'aws-lambda';
import { createDeadlines } from '../../adapters/deadline.ts';
import { requestDeadline } from '../../contract/limits.ts';
import { describeError } from '../../core/describe-error.ts';

export type LogValue = string | number | boolean | readonly string[] | undefined;

const deadline = createDeadlines(requestDeadline);

/** One request and its response, for the log and the metrics. */
export class Exchange {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The result, one word of a closed set. */
  outcome = 'served';
  /** The authenticated client. */
  clientId: string | undefined;
  /** Metrics in addition to those of every request. The value is 1. */
  readonly counts = new Set<string>();
  /** Metrics with other values. */
  measures: ReadonlyMap<string, number> | undefined;
  /** Further log fields in snake_case. Never a credential or text of a caller. */
  readonly fields: Record<string, LogValue> = {};
  error: unknown;
  #signal: AbortSignal | undefined;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  /**
   * Aborts calls to AWS when the request's deadline passes. The deadline begins when it is first
   * used, because documents from memory make no calls.
   */
  get signal(): AbortSignal {
    this.#signal ??= deadline();
    return this.#signal;
  }
}

/** Lambda's context with the exchange, which middleware and endpoints share. */
export interface ExchangeContext extends Context {
  exchange: Exchange;
}

/**
 * Adds to the log line of a successful response that it comes from an old list of keys, and why.
 * Otherwise the problem would not be visible.
 *
 * @param failure undefined if the list is fresh.
 */
export function reportStaleKeyList(exchange: Exchange, failure: unknown): void {
  if (failure === undefined) return;
  const { error_name, error_message } = describeError(failure);
  exchange.fields['key_list_error_name'] = error_name;
  exchange.fields['key_list_error_message'] = error_message;
}
