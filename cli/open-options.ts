import { userInfo } from 'node:os';
import { createCallerIdentity } from '../adapters/sts/caller-identity.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { Deployment } from './deployment.ts';

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

/** Who the audit names for changes of this process. */
export function findCaller({ aws, isLoopback }: Deployment): Promise<string> {
  // On AWS, AWS identifies the caller. On this machine there is only the login name.
  return isLoopback ? Promise.resolve(`local:${userInfo().username}`) : createCallerIdentity(aws)();
}
