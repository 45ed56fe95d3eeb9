import type { AuditRecord } from '../core/audit/audit-log.ts';

/** What a person is told next to the result. */
export interface OpenOptions {
  readonly warn: (text: string) => void;
}

export function reports({ warn }: OpenOptions) {
  return {
    onMalformedRecord: (error: Error) => warn(`left out: ${error.message}`),
    onAuditGap: ({ recordId }: AuditRecord) =>
      warn(
        `warning: the change was made, but its outcome could not be written to the audit (${recordId})`,
      ),
  };
}
