import { Duration } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { FunctionName } from '../../contract/environment.ts';
import { metricNamespace } from '../../contract/key-metrics.ts';
import { gatewayMetrics, requestMetrics, secretAlarmDays } from '../../contract/request-metrics.ts';
import { syntheticCheckMinutes, syntheticMetrics } from '../../contract/synthetic-check.ts';
import { stageName } from '../api/service-api.ts';
import { type AlarmContext, type AlarmProps, addAlarm } from './service-alarm.ts';
import { ServiceMetrics, watchedFunctions } from './service-metrics.ts';

export interface ServiceAlarmsProps extends AlarmContext {
  readonly config: DeploymentConfig;
  /** Of the API. */
  readonly accessLog: ILogGroup;
}

/** Share of the quota at which there is still time to request a higher one. */
const quotaShare = 0.6;

/** The alarms on requests and on the services that they need. */
export class ServiceAlarms extends Construct {
  /** Those that roll a new version of a function back. */
  readonly ofNewVersions: readonly Alarm[];
  readonly alarms: readonly Alarm[];
  private readonly context: AlarmContext;
  private readonly metrics: ServiceMetrics;

  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    this.context = props;
    this.metrics = new ServiceMetrics(props.config);
    this.ofNewVersions = [this.addApiErrors(), this.addUnavailable()];
    this.alarms = [
      ...this.ofNewVersions,
      this.addInvalidClients(),
      this.addUnverifiable(),
      this.addFallbacks(),
      this.addLatency(),
      this.addSignQuota(props.config),
      this.addSyntheticCheck(),
      ...(props.config.domain === undefined ? [] : [this.addIssuerCheck()]),
      this.addGatewayThrottled(props.accessLog),
      ...(props.config.trafficAlarm ? [this.addTrafficDrop()] : []),
      this.addSecretExpiry(),
      ...watchedFunctions.flatMap((name) => [this.addErrors(name), this.addThrottles(name)]),
      ...(['clients', 'signingKeys'] as const).map((table) =>
        this.add({
          id: `${table === 'clients' ? 'clients' : 'signing-keys'}-table-throttled`,
          page: 'table-throttled',
          description: `DynamoDB throttles reads of the ${table} table.`,
          metric: this.metrics.ofTable(table, 'ReadThrottleEvents', 'Sum'),
          threshold: 1,
          periods: 5,
          badPeriods: 3,
        }),
      ),
    ];
  }

  private add(alarm: AlarmProps): Alarm {
    return addAlarm(this, this.context, alarm);
  }

  private addApiErrors(): Alarm {
    return this.add({
      id: 'api-errors',
      description: 'The API answers with server errors.',
      metric: this.metrics.ofApi(stageName, '5XXError', 'Sum'),
      // A single error may be a lost connection; five a minute are a fault.
      threshold: 5,
      periods: 5,
      badPeriods: 3,
    });
  }

  private addUnavailable(): Alarm {
    return this.add({
      id: 'token-unavailable',
      description: 'Token requests are refused because KMS or DynamoDB does not answer in time.',
      metric: this.metrics.tokenRequests('temporarily_unavailable'),
      threshold: 5,
      periods: 5,
      badPeriods: 3,
    });
  }

  private addInvalidClients(): Alarm {
    return this.add({
      id: 'invalid-client-share',
      description: 'Most token requests fail to authenticate their client.',
      metric: this.metrics.invalidClientShare(),
      // There is always some client with an old secret; more than half of all requests are a fault
      // or an attack.
      threshold: 50,
      periods: 3,
    });
  }

  private addUnverifiable(): Alarm {
    return this.add({
      id: 'unverifiable-signatures',
      description: 'KMS returned a signature that the published key does not verify.',
      metric: this.metrics.own('token', requestMetrics.unverifiableSignatures),
    });
  }

  private addFallbacks(): Alarm {
    return this.add({
      id: 'signing-key-fallback',
      description: 'KMS refuses the current signing key, so another one signs.',
      metric: this.metrics.own('token', requestMetrics.signingKeyFallbacks),
    });
  }

  private addLatency(): Alarm {
    return this.add({
      id: 'token-latency',
      description: 'One token request in a hundred takes longer than two seconds.',
      metric: this.metrics
        .ofFunction('token', 'Duration', 'p99')
        .with({ period: Duration.minutes(5) }),
      threshold: 2000,
      periods: 3,
    });
  }

  private addSignQuota(config: DeploymentConfig): Alarm {
    const [alg = 'RS256'] = config.signingAlgorithms;
    return this.add({
      id: 'kms-sign-quota',
      description: `KMS calls have reached ${quotaShare * 100} % of the quota of ${config.kmsSignQuota} a second.`,
      metric: this.metrics.signCalls(alg),
      threshold: Math.floor(config.kmsSignQuota * 60 * quotaShare),
      periods: 5,
      badPeriods: 2,
    });
  }

  /** A period of a day, so a client that requests one token a day keeps the alarm on. */
  private addSecretExpiry(): Alarm {
    return this.add({
      id: 'client-secret-expiry',
      description: `A client uses a secret that expires within ${secretAlarmDays} days.`,
      metric: this.metrics
        .own('token', requestMetrics.secretDaysLeft, 'Minimum')
        .with({ period: Duration.days(1) }),
      operator: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: secretAlarmDays,
      periods: 1,
    });
  }

  /** Three runs in a row: a single one can fail because of a restart or a lost connection. */
  private addSyntheticCheck(): Alarm {
    return this.add({
      id: 'synthetic-check-failed',
      description: 'For a quarter of an hour no client could get a token and verify it.',
      metric: this.metrics
        .own('synthetic-check', syntheticMetrics.passed)
        .with({ period: Duration.minutes(3 * syntheticCheckMinutes) }),
      operator: ComparisonOperator.LESS_THAN_THRESHOLD,
      missingIsBad: true,
    });
  }

  /**
   * The name of the issuer has a record, a certificate and a mapping that the region's own name does
   * not need. Without a domain they are one name.
   */
  private addIssuerCheck(): Alarm {
    return this.add({
      id: 'issuer-check-failed',
      description: 'For a quarter of an hour the name of the issuer has not led to its keys.',
      metric: this.metrics
        .own('synthetic-check', syntheticMetrics.issuerPassed)
        .with({ period: Duration.minutes(3 * syntheticCheckMinutes) }),
      operator: ComparisonOperator.LESS_THAN_THRESHOLD,
    });
  }

  /** API Gateway has no metric of its own for the requests that it throttles. */
  private addGatewayThrottled(accessLog: ILogGroup): Alarm {
    new MetricFilter(this, gatewayMetrics.throttled, {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue('$.error_type', '=', 'THROTTLED'),
      metricNamespace: metricNamespace(this.context.deploymentName),
      metricName: gatewayMetrics.throttled,
      metricValue: '1',
    });
    return this.add({
      id: 'gateway-throttled',
      description: 'API Gateway refuses requests with 429, because they exceed a throttle.',
      metric: this.metrics.ofGateway(gatewayMetrics.throttled),
      // Less is a single client that sends a burst.
      threshold: 5,
      periods: 5,
      badPeriods: 3,
    });
  }

  /**
   * The synthetic check gets tokens, too, so the metric never ends. In a deployment with few
   * requests the band begins below zero, and the alarm never fires.
   */
  private addTrafficDrop(): Alarm {
    return this.add({
      id: 'traffic-drop',
      description: 'Far fewer tokens are issued than usual at this time.',
      metric: this.metrics.tokenRequests('issued').with({ period: Duration.minutes(15) }),
      belowUsualBy: 4,
      periods: 2,
      missingIsBad: true,
    });
  }

  private addErrors(name: FunctionName): Alarm {
    return this.add({
      id: `${name}-function-errors`,
      page: 'function-errors',
      description: `The ${name} function ends with errors: it crashed or ran out of time.`,
      metric: this.metrics.ofFunction(name, 'Errors', 'Sum').with({ period: Duration.minutes(5) }),
      threshold: 1,
      periods: 3,
      badPeriods: 2,
    });
  }

  private addThrottles(name: FunctionName): Alarm {
    return this.add({
      id: `${name}-function-throttled`,
      page: 'function-throttled',
      description: `The ${name} function has no concurrency left, so Lambda refuses requests.`,
      metric: this.metrics.ofFunction(name, 'Throttles', 'Sum'),
      threshold: 1,
      periods: 5,
      badPeriods: 3,
    });
  }
}
