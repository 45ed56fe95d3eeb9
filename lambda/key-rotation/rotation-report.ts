import type { RotationReport } from '../../contract/function-events.ts';
import type { RotationContext } from '../../core/key-rotation/execute-action.ts';
import { subjectOf } from '../../core/key-rotation/plan.ts';
import type { RunOutcome } from '../../core/key-rotation/reconcile.ts';
import { findCurrentKey } from '../../core/key-rotation/rotation-state.ts';
import { explainWaitForRoom } from '../../core/key-rotation/timeline.ts';
import { eligibleAt } from '../../core/signing-key/eligibility.ts';

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
