import { Duration } from 'aws-cdk-lib';
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { metricNamespace } from '../../contract/key-metrics.ts';
import {
  functionVersionProperty,
  metricDimensions,
  versionMetrics,
} from '../../contract/request-metrics.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { type AlarmContext, addAlarm } from './service-alarm.ts';

export interface VersionAlarmProps extends AlarmContext {
  readonly token: ServiceFunction<'token'>;
}

/**
 * Five a minute are not the mistake of one client. A version with a tenth of 50 requests a minute
 * also reaches this number.
 */
const leastRefusals = 5;

/**
 * Whether the newest version of the token function refuses most clients. The share of all requests
 * does not show this, because a version with a tenth of them never reaches half. To block a
 * deployment by guessing, an attacker needs as many guesses as the version issues tokens.
 */
export class VersionAlarm extends Construct {
  readonly alarm: Alarm;

  constructor(scope: Construct, id: string, props: VersionAlarmProps) {
    super(scope, id);
    const issued = this.count(props, versionMetrics.issued, ['issued']);
    const refused = this.count(props, versionMetrics.refusedClients, [
      'invalid_client',
      // This includes requests that were refused without a check after too many failures.
      'throttled',
    ]);
    this.alarm = addAlarm(this, props, {
      id: 'version-refuses-clients',
      description: 'The newest version of the token function authenticates few of its clients.',
      page: 'invalid-client-share',
      metric: new MathExpression({
        expression: `IF(FILL(refused, 0) >= ${leastRefusals} AND FILL(refused, 0) >= FILL(issued, 0), 1, 0)`,
        usingMetrics: { issued, refused },
        period: Duration.minutes(1),
      }),
      // Within the five minutes of a tenth of the requests. The first minute is not complete.
      periods: 3,
      badPeriods: 2,
      silent: true,
    });
  }

  /** Counts the metric lines of some outcomes, by version, and looks at the newest version. */
  private count(
    { deploymentName, token }: VersionAlarmProps,
    metricName: string,
    outcomes: readonly string[],
  ): Metric {
    const namespace = metricNamespace(deploymentName);
    const ofOutcomes = outcomes.map((one) =>
      FilterPattern.stringValue(`$.${metricDimensions.outcome}`, '=', one),
    );
    new MetricFilter(this, metricName, {
      logGroup: token.logGroup,
      // The log line of a request also has its outcome, but no version, so each request counts
      // once.
      filterPattern: FilterPattern.all(
        FilterPattern.exists(`$.${functionVersionProperty}`),
        FilterPattern.any(...ofOutcomes),
      ),
      metricNamespace: namespace,
      metricName,
      metricValue: '1',
      dimensions: { [functionVersionProperty]: `$.${functionVersionProperty}` },
    });
    return new Metric({
      namespace,
      metricName,
      dimensionsMap: { [functionVersionProperty]: token.handler.currentVersion.version },
      statistic: 'Sum',
      period: Duration.minutes(1),
    });
  }
}
