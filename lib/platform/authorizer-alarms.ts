import { Duration } from 'aws-cdk-lib';
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { metricNamespace } from '../../contract/key-metrics.ts';
import { authorizerMetrics, requestMetrics } from '../../contract/request-metrics.ts';
import { type AlarmProps, createAlarm, notify } from '../monitoring/service-alarm.ts';

export interface AuthorizerAlarmsProps {
  readonly deploymentName: string;
  readonly handler: Function;
  /** Whether the authorizer accepts tokens whose client it cannot look up. */
  readonly acceptsWithoutLookup: boolean;
  /** Without one, no one is notified. */
  readonly topic: ITopic | undefined;
}

/** Requests in five minutes: more than those of one client that retries four times a minute. */
const leastRequests = 21;

/**
 * The alarms of one authorizer. Their names are made by CloudFormation, because a stack can have
 * several authorizers. Lambda counts each 401 as an error of the function, since a REST authorizer
 * has no other way to refuse a credential. So a number of errors is no alarm.
 */
export class AuthorizerAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  private readonly props: AuthorizerAlarmsProps;

  constructor(scope: Construct, id: string, props: AuthorizerAlarmsProps) {
    super(scope, id);
    this.props = props;
    this.alarms = this.definitions().map((one) =>
      createAlarm(this, { ...one, page: 'platform-authorizer' }),
    );
    for (const alarm of this.alarms) if (props.topic !== undefined) notify(alarm, props.topic);
  }

  private definitions(): readonly AlarmProps[] {
    const all: readonly AlarmProps[] = [
      {
        id: 'authorizer-failures',
        description: 'The authorizer reaches no decision, so callers get 500.',
        metric: this.own(requestMetrics.failures),
        threshold: 5,
        periods: 5,
        badPeriods: 3,
      },
      {
        id: 'authorizer-accepts-none',
        description: 'The authorizer crashes, or refuses every credential.',
        metric: this.shareOfErrors(),
        threshold: 100,
        periods: 3,
      },
      {
        id: 'authorizer-throttled',
        description: 'The authorizer has no concurrency left, so callers get 500.',
        metric: this.ofFunction('Throttles', 'Sum', Duration.minutes(1)),
        periods: 5,
        badPeriods: 3,
      },
      {
        id: 'authorizer-latency',
        description: 'One decision of the authorizer in a hundred takes longer than two seconds.',
        metric: this.ofFunction('Duration', 'p99', Duration.minutes(5)),
        threshold: 2000,
        periods: 3,
      },
    ];
    return this.props.acceptsWithoutLookup ? [...all, this.withoutLookup()] : all;
  }

  private withoutLookup(): AlarmProps {
    return {
      id: 'authorizer-accepts-without-lookup',
      description: 'Tokens are accepted without the look-up that finds revoked ones.',
      metric: this.own(authorizerMetrics.acceptedWithoutLookup),
      periods: 5,
      badPeriods: 3,
    };
  }

  /** Percentage of the invocations that end with an error; 0 if there are few. */
  private shareOfErrors(): MathExpression {
    const period = Duration.minutes(5);
    return new MathExpression({
      expression: `IF(invocations >= ${leastRequests}, 100 * errors / invocations, 0)`,
      usingMetrics: {
        invocations: this.ofFunction('Invocations', 'Sum', period),
        errors: this.ofFunction('Errors', 'Sum', period),
      },
      period,
    });
  }

  private ofFunction(metricName: string, statistic: string, period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: this.props.handler.functionName },
      statistic,
      period,
    });
  }

  /** Of all authorizers of the deployment in this account and AWS region. */
  private own(metricName: string): Metric {
    return new Metric({
      namespace: metricNamespace(this.props.deploymentName),
      metricName,
      dimensionsMap: { service: 'authorizer' },
      statistic: 'Sum',
      period: Duration.minutes(1),
    });
  }
}
