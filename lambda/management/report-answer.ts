import type { ManagementAnswer } from '../../contract/management/request.ts';
import { managementMetrics } from '../../contract/request-metrics.ts';
import { pairRecords } from '../../core/audit/audit-change.ts';
import { trunkGroupsOf } from '../../core/audit/audit-log.ts';
import type { AuthenticatedCaller } from '../../core/management/requests/answer-request.ts';
import type { RunTelemetry } from '../shared/run-telemetry.ts';

/** Changes after which something is refused that was accepted before. */
const removal = /^(?:client|client_secret|api_key|identity_provider)\.(?:disable|delete)/;

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
      metrics:
        outcome === 'done' && removal.test(action) ? { [managementMetrics.removals]: 1 } : {},
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
  const error = 'error' in outcome ? outcome.error : undefined;
  const isUnavailable = error?.class === 'UnavailableError';
  telemetry.report({
    level: isUnavailable || audit_gaps.length > 0 ? 'error' : 'info',
    outcome: error === undefined ? 'answered' : 'refused',
    fields: {
      invoked: invokedArn,
      actor: caller?.arn,
      error: error?.class,
      // Other messages repeat what the caller sent.
      ...(isUnavailable && { error_message: error.text }),
      ...(audit_gaps.length > 0 && { audit_gaps: audit_gaps.map(({ recordId }) => recordId) }),
    },
    metrics: {},
  });
}
