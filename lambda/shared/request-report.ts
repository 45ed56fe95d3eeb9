export type LogValue = string | number | boolean | readonly string[] | undefined;

export type LogFields = Readonly<Record<string, LogValue>>;

/** The report of one request. */
export interface RequestReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  readonly statusCode: number;
  /** Milliseconds. */
  readonly latency: number;
  /** The authenticated client. */
  readonly clientId?: string | undefined;
  readonly counts: ReadonlySet<string>;
  /** Values of metrics that only some requests have. */
  readonly measures?: ReadonlyMap<string, number> | undefined;
  readonly fields: LogFields;
}
