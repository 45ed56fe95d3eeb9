import type { KeyRotationEvent, RotationReport } from '../../contract/function-events.ts';
import { keyMetrics, usualReplicationLag } from '../../contract/key-metrics.ts';
import { requestMetrics } from '../../contract/request-metrics.ts';
import { ClockError, describeError, InputError, RefusedError } from '../../core/errors.ts';
import { type CanaryRun, describeCanaryRun } from '../../core/key-rotation/canary-run.ts';
import { findCurrentKey, subjectOf } from '../../core/key-rotation/plan.ts';
import type { RunOutcome } from '../../core/key-rotation/reconcile.ts';
import {
  PromotionRefusedError,
  RetainedKeyError,
  type RotationContext,
} from '../../core/key-rotation/rotation-ports.ts';
import {
  explainWaitForRoom,
  lacksNextKey,
  overdueSeconds,
} from '../../core/key-rotation/timeline.ts';
import { eligibleAt } from '../../core/signing-key/select-signing-key.ts';
import type { RunTelemetry } from '../shared/run-telemetry.ts';

/** The replication lag in seconds; undefined if it could not be read. */
export type Lag = number | undefined;

/** A metric only when it is longer than usual: the log has each. */
function lagMetric(lag: Lag): Readonly<Record<string, number>> {
  return lag !== undefined && lag > usualReplicationLag ? { [keyMetrics.replicationLag]: lag } : {};
}

/** Findings of a run in the table. */
interface TableFindings {
  readonly lag: Lag;
  /** Problems of the records that were skipped. */
  readonly malformed: readonly string[];
  readonly canary: readonly CanaryRun[] | undefined;
}

/** A run that did what was requested. */
interface FinishedRun {
  readonly event: KeyRotationEvent;
  readonly outcome: RunOutcome;
  readonly context: RotationContext;
}

/**
 * Logs what a run did. A run that waits for a region counts as complete. A run that could not read
 * every record does not, so the alarm on missed runs fires.
 */
export function reportSuccess(
  { event, outcome, context }: FinishedRun,
  telemetry: RunTelemetry,
  { lag, malformed, canary }: TableFindings,
): RotationReport {
  const { ports, settings } = context;
  const report = describeRun(outcome, context);
  const overdue = overdueSeconds(
    outcome.state.keys,
    settings.regionId,
    settings.policy,
    ports.now(),
  );
  const isHeldUp = report.refused.length > 0 || report.waits_for_room !== undefined;
  const run = canary && describeCanaryRun(canary, settings.regionId, ports.now());
  const level = isHeldUp || run?.isGood === false ? 'warn' : 'info';
  const isComplete = malformed.length === 0;
  telemetry.report({
    level: isComplete ? level : 'error',
    outcome: event.action,
    fields: {
      ...report,
      actor: context.actor,
      overdue,
      replication_lag: lag,
      canary: run?.text,
      ...(!isComplete && { malformed_records: malformed }),
    },
    metrics: {
      ...lagMetric(lag),
      ...(isComplete && { [keyMetrics.rotationRun]: 1 }),
      ...(overdue > 0 && { [keyMetrics.overdue]: overdue }),
      ...(lacksNextKey(outcome.state, settings) && { [keyMetrics.jwksFull]: 1 }),
    },
  });
  return report;
}

/** Errors that are valid results for the caller, not failures of the function. */
const refusals = [InputError, RefusedError, PromotionRefusedError, RetainedKeyError] as const;

/** Logs why a run failed. */
export function reportFailure(
  event: KeyRotationEvent,
  error: unknown,
  telemetry: RunTelemetry,
  { lag, actor }: { readonly lag: Lag; readonly actor: string | undefined },
): void {
  const isRefusal = refusals.some((refusal) => error instanceof refusal);
  const isRetained = error instanceof RetainedKeyError;
  telemetry.report({
    level: isRefusal ? 'warn' : 'error',
    outcome: `${event.action}_${isRefusal ? 'refused' : 'failed'}`,
    fields: { ...describeError(error), actor, replication_lag: lag },
    metrics: {
      ...lagMetric(lag),
      ...(isRetained && { [keyMetrics.retainedKeyRefusal]: 1 }),
      ...(error instanceof ClockError && { [requestMetrics.clockDifferences]: 1 }),
    },
  });
}

/** The result of a run, as it is returned and logged. */
function describeRun(
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
