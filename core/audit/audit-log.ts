/** One change, made or intended. No value in it is secret. */
export interface AuditRecord {
  /** RFC 3339 UTC time with milliseconds. */
  readonly time: string;
  readonly recordId: string;
  /** Who: the AWS caller's ARN, or the function's name. */
  readonly actor: string;
  /** What, as `noun.verb`: `client.create`, `client_secret.delete`, `signing_key.promote`. */
  readonly action: string;
  /** The id of what was changed. */
  readonly subject: string;
  readonly outcome: 'intended' | 'done' | 'failed';
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

/** Append-only. The intent is written before the change, the outcome after it. */
export interface AuditLog {
  appendAudit(record: AuditRecord): Promise<void>;
}
