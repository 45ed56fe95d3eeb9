import type { LogValue } from './exchange.ts';

export type LogFields = Readonly<Record<string, LogValue>>;

/** What is reported of one request. */
export interface RequestReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  readonly statusCode: number;
  /** Milliseconds. */
  readonly latency: number;
  /** A client that proved who it is. */
  readonly clientId?: string | undefined;
  readonly counts: ReadonlySet<string>;
  /** Values of metrics that not every request has. */
  readonly measures?: ReadonlyMap<string, number> | undefined;
  readonly fields: LogFields;
}
