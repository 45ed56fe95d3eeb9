import type { Context } from 'aws-lambda';

export type LogValue = string | number | boolean | readonly string[] | undefined;

/** One request and its answer, as far as the log and the metrics are concerned. */
export interface Exchange {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Ends calls to AWS when the request's deadline passes; begins with its first use. */
  readonly signal: AbortSignal;
  /** Stops the clock of `signal`: the response is made. */
  readonly end: () => void;
  /** One word of a closed set: what came of it. */
  outcome: string;
  /** A client that proved who it is. */
  clientId?: string | undefined;
  /** Metrics next to those of every request: 1 each. */
  readonly counts: Set<string>;
  /** Metrics next to those that have values of their own. */
  measures?: ReadonlyMap<string, number> | undefined;
  /** What the log line says as well, snake_case. Never a credential, never a caller's own text. */
  readonly fields: Record<string, LogValue>;
  error?: unknown;
}

/** Lambda's context with the exchange, by which middleware and endpoints share it. */
export interface ExchangeContext extends Context {
  exchange: Exchange;
}
