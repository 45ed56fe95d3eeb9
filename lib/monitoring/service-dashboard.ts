import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  DashboardVariable,
  DefaultValue,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  type Metric,
  Values,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { keyMetricFunctions, keyMetrics } from '../../contract/key-metrics.ts';
import {
  gatewayMetrics,
  metricDimensions,
  metricNamespace,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { syntheticCheckMinutes, syntheticMetrics } from '../../contract/synthetic-check.ts';
import { alarmName } from './service-alarm.ts';
import { ServiceMetrics, watchedFunctions } from './service-metrics.ts';

interface ServiceDashboardProps {
  readonly config: DeploymentConfig;
  /** Of this region. The other regions have the same. */
  readonly alarms: readonly Alarm[];
}

/** Half the width of a dashboard. */
const half = { width: 12, height: 6 };

/**
 * One page that shows whether a region issues tokens, and if not, why. CloudWatch shows it from each
 * AWS region, and it has a monthly price, so all regions share it: a field selects whose graphs it
 * shows.
 */
export class ServiceDashboard extends Construct {
  private readonly props: ServiceDashboardProps;
  private readonly metrics: ServiceMetrics;

  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    this.props = props;
    this.metrics = new ServiceMetrics(props.config);
    new Dashboard(this, 'Dashboard', {
      dashboardName: props.config.name,
      variables: this.regionField(),
      defaultInterval: Duration.hours(3),
      widgets: [
        ...this.alarmsOfRegions().map((widget) => [widget]),
        [this.outcomes(), this.latency()],
        [this.api(), this.functions()],
        [this.kms(), this.tables()],
        [this.keys(), this.keyAges()],
        [this.syntheticCheck(), this.secretExpiry()],
      ],
    });
  }

  private alarmsOfRegions(): readonly IWidget[] {
    const { config, alarms } = this.props;
    return deployedRegions(config).map(({ id, awsRegion }) => {
      const find = ({ node }: Alarm) => {
        const resourceName = alarmName({ deploymentName: config.name, regionId: id }, node.id);
        const arn = Stack.of(this).formatArn({
          service: 'cloudwatch',
          region: awsRegion,
          resource: 'alarm',
          resourceName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        });
        return Alarm.fromAlarmArn(this, resourceName, arn);
      };
      return new AlarmStatusWidget({
        title: `Alarms of ${id}`,
        alarms: alarms.map(find),
        width: 24,
      });
    });
  }

  private regionField(): DashboardVariable[] {
    const [first, ...others] = deployedRegions(this.props.config);
    if (first === undefined || others.length === 0) return [];
    const values = [first, ...others].map(({ id, awsRegion }) => ({ label: id, value: awsRegion }));
    return [
      new DashboardVariable({
        id: 'region',
        label: 'Region',
        type: VariableType.PROPERTY,
        value: 'region',
        inputType: VariableInputType.SELECT,
        values: Values.fromValues(...values),
        defaultValue: DefaultValue.value(first.awsRegion),
        visible: true,
      }),
    ];
  }

  private outcomes(): IWidget {
    return graph('Token requests a minute, by outcome', [
      this.search(metricDimensions.outcome, requestMetrics.requests, 'Sum', Duration.minutes(1)),
    ]);
  }

  private latency(): IWidget {
    return graph(
      'Time in the token function, ms',
      ['p50', 'p90', 'p99'].map((statistic) =>
        this.metrics.ofFunction('token', 'Duration', statistic).with({ label: statistic }),
      ),
    );
  }

  private api(): IWidget {
    return graph('API: requests and errors a minute', [
      ...['Count', '4XXError', '5XXError'].map((name) =>
        this.metrics.ofApi(name).with({ label: name }),
      ),
      this.metrics.ofGateway(gatewayMetrics.throttled).with({ label: 'throttled' }),
    ]);
  }

  private functions(): IWidget {
    return graph(
      'Functions: concurrency, and errors and throttles a minute',
      watchedFunctions.map((name) =>
        this.metrics.ofFunction(name, 'ConcurrentExecutions', 'Maximum').with({ label: name }),
      ),
      watchedFunctions.flatMap((name) =>
        ['Errors', 'Throttles'].map((metricName) =>
          this.metrics
            .ofFunction(name, metricName, 'Sum')
            .with({ label: `${name} ${metricName.toLowerCase()}` }),
        ),
      ),
    );
  }

  private kms(): IWidget {
    const [alg = 'RS256'] = this.props.config.signingAlgorithms;
    return new GraphWidget({
      ...half,
      title: 'KMS: signatures a minute, and the quota',
      left: [this.metrics.signCalls(alg).with({ label: 'signatures' })],
      leftAnnotations: [{ value: this.props.config.kmsSignQuota * 60, label: 'quota' }],
      right: [this.metrics.tokenRequests('temporarily_unavailable').with({ label: 'unavailable' })],
    });
  }

  private tables(): IWidget {
    return graph(
      'DynamoDB: time to answer, ms, and throttles a minute',
      [
        this.metrics
          .ofTable('clients', 'SuccessfulRequestLatency', 'p99', 'GetItem')
          .with({ label: 'clients GetItem' }),
        this.metrics
          .ofTable('signingKeys', 'SuccessfulRequestLatency', 'p99', 'Query')
          .with({ label: 'signing-keys Query' }),
      ],
      (['clients', 'signingKeys'] as const).map((table) =>
        this.metrics.ofTable(table, 'ReadThrottleEvents', 'Sum').with({ label: table }),
      ),
    );
  }

  private keys(): IWidget {
    return graph('Signing keys: runs of the rotation, failures of the canary', [
      this.ofKeys(keyMetrics.rotationRun, 'Sum'),
      this.ofKeys(keyMetrics.canaryFailure, 'Sum'),
      this.ofKeys(keyMetrics.jwksEmpty, 'Sum'),
    ]);
  }

  private keyAges(): IWidget {
    return graph('Signing keys: seconds overdue', [this.ofKeys(keyMetrics.overdue, 'Maximum')]);
  }

  private secretExpiry(): IWidget {
    const { secretDaysLeft, largestClientShare } = requestMetrics;
    return graph(
      'Secrets in use near their expiry: least days left; the largest client: % of new tokens',
      [this.metrics.own('token', secretDaysLeft, 'Minimum').with({ period: Duration.hours(1) })],
      [this.metrics.own('token', largestClientShare, 'Maximum')],
    );
  }

  /** Every series of a metric of the token function, by one dimension. */
  private search(dimension: string, metricName: string, statistic: string, period: Duration) {
    const namespace = metricNamespace(this.props.config.name);
    return new MathExpression({
      // In braces, names with characters other than letters and digits need quotes.
      expression: `SEARCH('{"${namespace}","service","${dimension}"} MetricName="${metricName}" service="token"', '${statistic}')`,
      usingMetrics: {},
      period,
      label: '',
    });
  }

  private syntheticCheck(): IWidget {
    const own = (metricName: string, statistic: string, label: string): Metric =>
      this.metrics
        .own('synthetic-check', metricName, statistic)
        .with({ period: Duration.minutes(syntheticCheckMinutes), label });
    return graph('Synthetic check: passed', [
      own(syntheticMetrics.passed, 'Minimum', 'passed'),
      own(syntheticMetrics.issuerPassed, 'Minimum', 'passed by the name of the issuer'),
    ]);
  }

  private ofKeys(metricName: keyof typeof keyMetricFunctions, statistic: string): Metric {
    return this.metrics
      .own(keyMetricFunctions[metricName], metricName, statistic)
      .with({ period: Duration.minutes(5), label: metricName });
  }
}

function graph(title: string, left: IMetric[], right?: IMetric[]): GraphWidget {
  return new GraphWidget({ ...half, title, left, ...(right && { right }) });
}
