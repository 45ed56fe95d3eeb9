import { auditChange, type Change } from '../audit/audit-change.ts';
import { encodeBase62, idBytes } from '../credential/credential-value.ts';
import { UnavailableError, UncertainConflictError } from '../errors.ts';
import type { ManagementContext } from './management-context.ts';

/** Makes a management change between its two audit records; see {@link auditChange}. */
export async function makeAuditedChange(
  context: ManagementContext,
  change: Change,
  apply: () => Promise<void>,
): Promise<void> {
  const audit = {
    log: context.audit,
    changeId: encodeBase62(context.drawBytes(idBytes)),
    actor: await context.actor(),
    clock: context.clock,
    isUncertain: (error: unknown) =>
      error instanceof UnavailableError || error instanceof UncertainConflictError,
    // The change was made, and its intent is in the audit.
    onGap: context.onAuditGap ?? (() => undefined),
  };
  await auditChange(audit, change, apply);
}
