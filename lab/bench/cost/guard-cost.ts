import { synthesisePlatformApi } from '../../support/platform-api.ts';
import { prices } from './prices.ts';
import { countAlarmMetrics } from './standing-cost.ts';
import { type Configuration, type CostLines, costOfMillion, type TokenWork } from './token-cost.ts';

/** What guards a platform API. */
export interface Guard {
  readonly name: string;
  /** Whether each request runs a function. */
  readonly isFunction: boolean;
  /** Whether it reads a table for each request. */
  readonly reads: boolean;
}

export const guards: readonly Guard[] = [
  { name: '`PlatformAuthorizer`, own token', isFunction: true, reads: false },
  { name: '`PlatformAuthorizer`, API key', isFunction: true, reads: true },
  { name: '`forward-auth`, own token', isFunction: false, reads: false },
  { name: '`forward-auth`, API key', isFunction: false, reads: true },
];

/** What a million requests of a platform API take, in dollars, without the API itself. */
export function costOfGuard(
  { isFunction, reads }: Guard,
  usual: Configuration,
  work: TokenWork,
): CostLines {
  // API Gateway waits for the read.
  const guarding = { ...work, waitMs: reads ? work.waitMs - work.signWaitMs : 0, signWaitMs: 0 };
  const { Lambda = 0, logs = 0, DynamoDB = 0 } = costOfMillion(usual, guarding);
  return {
    Lambda: isFunction ? Lambda : 0,
    logs: isFunction ? logs : 0,
    DynamoDB: reads ? DynamoDB : 0,
  };
}

/** The alarms of a PlatformAuthorizer, in dollars a month. It has no metric of its own at rest. */
export function costOfGuardAlarms(bundles: string): number {
  const alarms = synthesisePlatformApi(bundles).findResources('AWS::CloudWatch::Alarm');
  return countAlarmMetrics(Object.values(alarms)) * prices.alarmMetricMonth;
}
