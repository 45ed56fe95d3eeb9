import type { ManagementAnswer } from '../../contract/management/request.ts';
import { pairRecords } from '../../core/audit/audit-change.ts';
import { trunkGroupsOf } from '../../core/audit/audit-log.ts';
import type { AuthenticatedCaller } from '../../core/management/requests/answer-request.ts';
import type { RunTelemetry } from '../shared/run-telemetry.ts';

/** One line for each change: who changed what, and no value. People subscribe to these lines. */
function reportChanges(telemetry: RunTelemetry, audit: ManagementAnswer['audit']): void {
  for (const change of pairRecords(audit.toReversed(), new Set()).toReversed()) {
    const { changeId, actor, action, subject, outcome } = change;
    telemetry.report({
      level: 'info',
      outcome: 'change',
      fields: {
        change_id: changeId,
        actor,
        action,
        subject_kind: action.split('.')[0],
        subject,
        service_trunk_groups: [...new Set(trunkGroupsOf(change))],
        change_outcome: outcome,
      },
      metrics: {},
    });
  }
}

/** A line for each change, and one for the invocation. None holds an input or a result. */
export function reportAnswer(
  telemetry: RunTelemetry,
  invokedArn: string,
  caller: Pick<AuthenticatedCaller, 'arn'> | undefined,
  { outcome, audit, audit_gaps }: ManagementAnswer,
): void {
  reportChanges(telemetry, audit);
  const error = 'error' in outcome ? outcome.error.class : undefined;
  telemetry.report({
    level: audit_gaps.length === 0 ? 'info' : 'error',
    outcome: error === undefined ? 'answered' : 'refused',
    fields: {
      invoked: invokedArn,
      actor: caller?.arn,
      error,
      ...(audit_gaps.length > 0 && { audit_gaps: audit_gaps.map(({ recordId }) => recordId) }),
    },
    metrics: {},
  });
}
