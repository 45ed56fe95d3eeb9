import { appendFile } from 'node:fs/promises';
import type { AuditLog, AuditRecord } from '../core/audit/audit-log.ts';
import { toPrintable } from '../core/printable-text.ts';

export interface OpenOptions {
  /** File that each audit record is also appended to, one JSON document per line. */
  readonly auditFile?: string | undefined;
  readonly warn: (text: string) => void;
}

/** What a person is told next to the result. */
export function reports({ warn }: OpenOptions) {
  return {
    onMalformedRecord: (error: Error) => warn(`left out: ${error.message}`),
    onAuditGap: ({ recordId }: AuditRecord) =>
      warn(
        `warning: the change was made, but its outcome could not be written to the audit (${recordId})`,
      ),
  };
}

/** Only printable text, because people read such files in a terminal. */
function toLine(record: AuditRecord): string {
  const { recordId, ...rest } = record;
  return `${toPrintable(JSON.stringify({ record_id: recordId, ...rest }))}\n`;
}

export function appendToFile(path: string, record: AuditRecord): Promise<void> {
  return appendFile(path, toLine(record), { mode: 0o600 });
}

/** An audit that first appends each record to a file. If that fails, nothing is changed. */
export function withAuditFile(audit: AuditLog, path: string): AuditLog {
  return {
    appendAudit: async (record) => {
      await appendToFile(path, record);
      await audit.appendAudit(record);
    },
  };
}
