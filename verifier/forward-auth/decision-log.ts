import {
  credentialFields,
  type DecisionFields,
  describeRejection,
} from '../../core/verifier/decision-log.ts';
import type {
  VerifiedAccessToken,
  VerifiedCredential,
} from '../../core/verifier/verified-credential.ts';
import type { LoggedRequests } from './options.ts';

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: DecisionFields;
}

export type WriteLog = (entry: LogEntry) => void;

export type DecisionLog = ReturnType<typeof createDecisionLog>;

/**
 * Log fields of each decision. They never contain a credential. Failures of the check itself are
 * always logged, also when requests are not.
 */
export function createDecisionLog(requests: LoggedRequests, write: WriteLog) {
  return {
    accepted(verified: VerifiedCredential, context: DecisionFields): void {
      if (requests !== 'all') return;
      write({
        level: 'info',
        message: 'accepted',
        fields: { ...context, ...credentialFields(verified) },
      });
    },
    /** Always logged: a revoked token may be among them. */
    acceptedWithoutLookup(verified: VerifiedAccessToken): void {
      const fields = credentialFields(verified);
      write({ level: 'warn', message: 'accepted_without_lookup', fields });
    },
    notAccepted(error: unknown, context: DecisionFields): void {
      const { level, outcome, fields } = describeRejection(error);
      if (requests === 'none' && level === 'info') return;
      write({ level, message: outcome, fields: { ...context, ...fields } });
    },
  };
}
