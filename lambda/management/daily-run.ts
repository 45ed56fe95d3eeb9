import { dailyRunAlias, dailyRunMetrics } from '../../contract/daily-run.ts';
import { describeError } from '../../core/describe-error.ts';
import {
  type DailyRunOutcome,
  type DailyRunPorts,
  runDaily,
} from '../../core/notices/daily-run.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { RunTelemetry } from '../shared/run-telemetry.ts';

/** Opens what a run reads and writes. @param onMalformedRecord see `openDailyRun`. */
export type OpenRun = (
  onMalformedRecord: (error: Error) => void,
) => Omit<DailyRunPorts, 'isOutOfTime'>;

/** Milliseconds that an attempt keeps for its last page of notices, and for saving how far it is. */
const reserve = 20_000;

/** Whether an invocation is the schedule's. No policy of an operator names this alias. */
export function isDailyRun(invokedArn: string): boolean {
  return invokedArn.endsWith(`:${dailyRunAlias}`);
}

function reportOutcome(
  telemetry: RunTelemetry,
  { status, time, notices, expiring, outside, unread }: DailyRunOutcome,
  malformed: readonly string[],
): void {
  const isWell = unread.length === 0 && malformed.length === 0;
  telemetry.report({
    level: isWell ? 'info' : 'error',
    outcome: `daily_run_${status}`,
    fields: {
      run: formatTime(time),
      notices,
      expiring,
      outside,
      ...(unread.length > 0 && { unread }),
      ...(malformed.length > 0 && { malformed }),
    },
    metrics: {
      [dailyRunMetrics.upToDate]: Number(status !== 'continues'),
      ...(outside !== undefined && { [dailyRunMetrics.outside]: outside }),
    },
  });
}

export interface DailyRunOptions {
  readonly open: OpenRun;
  /** The deployment's name. */
  readonly deployment: string;
}

/**
 * Makes an attempt of the daily run. The event has no part in it: a caller that could invoke the alias
 * could only begin a run that is due anyway.
 *
 * @param remaining milliseconds until Lambda ends the invocation.
 */
export async function attemptDailyRun(
  { open, deployment }: DailyRunOptions,
  telemetry: RunTelemetry,
  remaining: () => number,
): Promise<DailyRunOutcome> {
  const malformed = new Set<string>();
  try {
    const ports = open(({ message }) => malformed.add(message));
    const isOutOfTime = () => remaining() < reserve;
    const outcome = await runDaily({ ...ports, isOutOfTime }, deployment);
    reportOutcome(telemetry, outcome, [...malformed]);
    return outcome;
  } catch (error) {
    telemetry.report({
      level: 'error',
      outcome: 'daily_run_failed',
      fields: describeError(error),
      metrics: { [dailyRunMetrics.upToDate]: 0 },
    });
    throw new Error('the daily run failed; the log of the function says why', { cause: error });
  }
}
