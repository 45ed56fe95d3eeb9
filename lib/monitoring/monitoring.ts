import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
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
  Values,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { type KeyMetric, keyMetricFunctions, keyMetrics } from '../../contract/key-metrics.ts';
import type { RegionId } from '../../contract/regions.ts';
import {
  gatewayMetrics,
  metricDimensions,
  metricNamespace,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { syntheticCheckMinutes, syntheticMetrics } from '../../contract/synthetic-check.ts';
import type { ServiceFunctions } from '../functions/service-functions.ts';
import { addBackupAlarms, type WatchedVault } from './event-alarm.ts';
import { addKeyAlarms } from './key-alarms.ts';
import { addAlarm, addAlarmTopic, alarmName } from './service-alarm.ts';
import {
  addServiceAlarms,
  addVersionAlarm,
  certificateAlarm,
  noticesAlarm,
} from './service-alarms.ts';
import { ServiceMetrics, watchedFunctions } from './service-metrics.ts';

/** Half the width of a dashboard. */
const half = { width: 12, height: 6 };

const secretAge = { statistic: 'Minimum', minutes: 60 };

/**
 * One page that shows whether a region issues tokens, and if not, why. CloudWatch shows it from each
 * AWS region, and it has a monthly price, so all regions share it: a field selects whose graphs it
 * shows.
 *
 * @param alarms of this region. The other regions have the same.
 */
export function addDashboard(
  scope: Construct,
  config: DeploymentConfig,
  alarms: readonly Alarm[],
): void {
  const metrics = new ServiceMetrics(config);
  const { rotationRun, canaryFailure, jwksEmpty, overdue } = keyMetrics;
  const ofKeys = (label: KeyMetric, statistic = 'Sum') =>
    metrics.own(keyMetricFunctions[label], label, { statistic, minutes: 5, label });
  const { secretDaysLeft, largestClientShare } = requestMetrics;
  new Dashboard(scope, 'Dashboard', {
    dashboardName: config.name,
    variables: regionField(config),
    defaultInterval: Duration.hours(3),
    widgets: [
      ...alarmsOfRegions(scope, config, alarms).map((widget) => [widget]),
      [outcomes(config), latency(metrics)],
      [api(metrics), functions(metrics)],
      [kms(metrics, config), tables(metrics)],
      [
        graph(
          'Signing keys: runs of the rotation, failures of the canary',
          [rotationRun, canaryFailure, jwksEmpty].map((name) => ofKeys(name)),
        ),
        graph('Signing keys: seconds overdue', [ofKeys(overdue, 'Maximum')]),
      ],
      [
        syntheticCheck(metrics),
        graph(
          'Secrets in use near their expiry: least days left; the largest client: % of new tokens',
          [metrics.own('token', secretDaysLeft, secretAge)],
          [metrics.own('token', largestClientShare, { statistic: 'Maximum' })],
        ),
      ],
    ],
  });
}

function alarmsOfRegions(
  scope: Construct,
  config: DeploymentConfig,
  alarms: readonly Alarm[],
): readonly IWidget[] {
  return deployedRegions(config).map(({ id, awsRegion }) => {
    const find = ({ node }: Alarm) => {
      const resourceName = alarmName({ deploymentName: config.name, regionId: id }, node.id);
      const arn = Stack.of(scope).formatArn({
        service: 'cloudwatch',
        region: awsRegion,
        resource: 'alarm',
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
      return Alarm.fromAlarmArn(scope, resourceName, arn);
    };
    return new AlarmStatusWidget({ title: `Alarms of ${id}`, alarms: alarms.map(find), width: 24 });
  });
}

function regionField(config: DeploymentConfig): DashboardVariable[] {
  const [first, ...others] = deployedRegions(config);
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

/** Every series of the requests, by their outcome. */
function outcomes({ name }: DeploymentConfig): IWidget {
  // In braces, names with characters other than letters and digits need quotes.
  const schema = `{"${metricNamespace(name)}","service","${metricDimensions.outcome}"}`;
  const expression = `SEARCH('${schema} MetricName="${requestMetrics.requests}" service="token"', 'Sum')`;
  const period = Duration.minutes(1);
  return graph('Token requests a minute, by outcome', [
    new MathExpression({ expression, usingMetrics: {}, period, label: '' }),
  ]);
}

function latency(metrics: ServiceMetrics): IWidget {
  const read = (statistic: string) =>
    metrics.ofFunction('token', 'Duration', { statistic, label: statistic });
  return graph('Time in the token function, ms', ['p50', 'p90', 'p99'].map(read));
}

function api(metrics: ServiceMetrics): IWidget {
  return graph('API: requests and errors a minute', [
    ...['Count', '4XXError', '5XXError'].map((label) => metrics.ofApi(label, { label })),
    metrics.ofGateway(gatewayMetrics.throttled, { label: 'throttled' }),
  ]);
}

function functions(metrics: ServiceMetrics): IWidget {
  return graph(
    'Functions: concurrency, and errors and throttles a minute',
    watchedFunctions.map((label) =>
      metrics.ofFunction(label, 'ConcurrentExecutions', { statistic: 'Maximum', label }),
    ),
    watchedFunctions.flatMap((name) =>
      ['Errors', 'Throttles'].map((metric) =>
        metrics.ofFunction(name, metric, { label: `${name} ${metric.toLowerCase()}` }),
      ),
    ),
  );
}

function kms(metrics: ServiceMetrics, config: DeploymentConfig): IWidget {
  const [alg = 'RS256'] = config.signingAlgorithms;
  return new GraphWidget({
    ...half,
    title: 'KMS: signatures a minute, and the quota',
    left: [metrics.signCalls(alg, { label: 'signatures' })],
    leftAnnotations: [{ value: config.kmsSignQuota * 60, label: 'quota' }],
    right: [metrics.tokenRequests('temporarily_unavailable', { label: 'unavailable' })],
  });
}

function tables(metrics: ServiceMetrics): IWidget {
  const latencyOf = (table: 'clients' | 'signingKeys', operation: string, label: string) =>
    metrics.ofTable(table, 'SuccessfulRequestLatency', { statistic: 'p99', label }, operation);
  return graph(
    'DynamoDB: time to answer, ms, and throttles a minute',
    [
      latencyOf('clients', 'GetItem', 'clients GetItem'),
      latencyOf('signingKeys', 'Query', 'signing-keys Query'),
    ],
    (['clients', 'signingKeys'] as const).map((label) =>
      metrics.ofTable(label, 'ReadThrottleEvents', { label }),
    ),
  );
}

function syntheticCheck(metrics: ServiceMetrics): IWidget {
  const own = (name: string, label: string) =>
    metrics.own('synthetic-check', name, {
      statistic: 'Minimum',
      minutes: syntheticCheckMinutes,
      label,
    });
  return graph('Synthetic check: passed', [
    own(syntheticMetrics.passed, 'passed'),
    own(syntheticMetrics.issuerPassed, 'passed by the name of the issuer'),
  ]);
}

function graph(title: string, left: IMetric[], right?: IMetric[]): GraphWidget {
  return new GraphWidget({ ...half, title, left, ...(right && { right }) });
}

interface MonitoringProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  /** Of the API. */
  readonly accessLog: ILogGroup;
  /** Undefined if the config has no backups. */
  readonly vault: WatchedVault | undefined;
  /** Undefined if the config has no domain. */
  readonly certificate: ICertificate | undefined;
  readonly functions: Pick<ServiceFunctions, 'token' | 'notices'>;
}

/** The alarms of a region; in the first one also the dashboard. */
export class Monitoring extends Construct {
  /** Alarms that roll a new version of a function back. */
  readonly ofNewVersions: readonly Alarm[];
  readonly topic: ITopic;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { config, regionId, accessLog, vault, certificate, functions } = props;
    const part = (name: string) => new Construct(this, name);
    this.topic = addAlarmTopic(part('AlarmTopic'), config);
    const context = { deploymentName: config.name, regionId, topic: this.topic };
    const ofKeys = addKeyAlarms(part('KeyAlarms'), context);
    const service = addServiceAlarms(part('ServiceAlarms'), context, config, accessLog);
    const backups = vault ? addBackupAlarms(part('BackupAlarms'), context, vault) : [];
    if (config.dashboard === 'on' && regionId === deployedRegions(config)[0]?.id) {
      addDashboard(part('Dashboard'), config, [...service.alarms, ...ofKeys, ...backups]);
    }
    if (certificate !== undefined) {
      addAlarm(this, context, certificateAlarm(certificate, 'service'));
    }
    // Clients that the newest version of the token function refuses.
    const refusals = config.gradualDeployment
      ? [addVersionAlarm(part('VersionAlarm'), context, functions.token)]
      : [];
    this.ofNewVersions = [...service.ofNewVersions, ...refusals];
    if (functions.notices !== undefined) {
      addAlarm(this, context, noticesAlarm(new ServiceMetrics({ name: config.name })));
    }
  }
}
