import type { RotationContext } from '../../core/signing-key/execute-action.ts';
import type { RunOutcome } from '../../core/signing-key/reconcile.ts';
import { subjectOf } from '../../core/signing-key/rotation-action.ts';
import { findCurrentKey, ripeAt } from '../../core/signing-key/rotation-state.ts';

/** What a run did, as it is returned and logged. Times are RFC 3339 UTC. */
export interface RotationReport {
  readonly region: string;
  /** `waiting`: no key of the region signs yet. */
  readonly status: 'signing' | 'waiting';
  readonly kid?: string | undefined;
  /** When the region's published `next` keys may sign. */
  readonly next: readonly { readonly kid: string; readonly ripe_at: string }[];
  readonly done: readonly { readonly action: string; readonly subject: string }[];
  readonly refused: readonly { readonly kid: string; readonly reason: string }[];
}

export function describeRun(
  { done, refused, state }: RunOutcome,
  { settings }: RotationContext,
): RotationReport {
  const { regionId, policy } = settings;
  const current = findCurrentKey(state.keys, regionId);
  const next = state.keys.filter((key) => key.regionId === regionId && key.state === 'next');
  return {
    region: regionId,
    status: current === undefined ? 'waiting' : 'signing',
    kid: current?.kid,
    next: next.map((key) => ({
      kid: key.kid,
      ripe_at: new Date(ripeAt(key, policy) * 1000).toISOString(),
    })),
    done: done.map((action) => ({ action: action.kind, subject: subjectOf(action) })),
    refused: refused.map(({ action, error }) => ({
      kid: subjectOf(action),
      reason: error.message,
    })),
  };
}
