import type { RotationReport } from '../../contract/function-events.ts';
import { eligibleAt } from '../../core/signing-key/eligibility.ts';
import type { RotationContext } from '../../core/signing-key/execute-action.ts';
import { explainWaitForRoom } from '../../core/signing-key/explain-wait.ts';
import type { RunOutcome } from '../../core/signing-key/reconcile.ts';
import { subjectOf } from '../../core/signing-key/rotation-action.ts';
import { findCurrentKey } from '../../core/signing-key/rotation-state.ts';

/** The result of a run, as it is returned and logged. */
export function describeRun(
  { done, refused, state }: RunOutcome,
  { ports, settings }: RotationContext,
): RotationReport {
  const waits_for_room = explainWaitForRoom(state, settings, ports.now());
  const { regionId, policy } = settings;
  const current = findCurrentKey(state.keys, regionId);
  const next = state.keys.filter((key) => key.regionId === regionId && key.state === 'next');
  return {
    region: regionId,
    status: current === undefined ? 'waiting' : 'signing',
    kid: current?.kid,
    next: next.map((key) => ({
      kid: key.kid,
      ...(key.provedAt !== undefined && {
        eligible_at: new Date(eligibleAt(key, policy) * 1000).toISOString(),
      }),
    })),
    done: done.map((action) => ({ action: action.kind, subject: subjectOf(action) })),
    refused: refused.map(({ action, error }) => ({
      kid: subjectOf(action),
      reason: error.message,
    })),
    ...(waits_for_room !== undefined && { waits_for_room }),
  };
}
