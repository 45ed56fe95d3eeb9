import { Duration } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type Alarm, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { FunctionName } from '../../contract/function-names.ts';
import { noticeAlarmHours, noticeMetrics } from '../../contract/notices.ts';
import {
  functionVersionProperty,
  gatewayMetrics,
  managementMetrics,
  metricDimensions,
  metricNamespace,
  requestMetrics,
  secretAlarmDays,
  slowTokenRequest,
  versionMetrics,
} from '../../contract/request-metrics.ts';
import { tokenPath } from '../../contract/routes.ts';
import { syntheticCheckMinutes, syntheticMetrics } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { type AlarmContext, type AlarmProps, addAlarm } from './service-alarm.ts';
import { makeMetric, ServiceMetrics, watchedFunctions } from './service-metrics.ts';

/** Share of the quota at which there is still time to request a higher one. */
const quotaShare = 0.6;

/**
 * The alarms on requests and on the services that they need.
 *
 * @param accessLog of the API, which has no metric of its own for the requests that it throttles.
 * @returns `ofNewVersions`: those that roll a new version of a function back.
 */
export function addServiceAlarms(
  scope: Construct,
  context: AlarmContext,
  config: DeploymentConfig,
  accessLog: ILogGroup,
) {
  const metrics = new ServiceMetrics(config);
  const add = (alarm: AlarmProps) => addAlarm(scope, context, alarm);
  new MetricFilter(scope, gatewayMetrics.throttled, {
    logGroup: accessLog,
    filterPattern: FilterPattern.stringValue('$.error_type', '=', 'THROTTLED'),
    metricNamespace: metricNamespace(config.name),
    metricName: gatewayMetrics.throttled,
    metricValue: '1',
  });
  const ofNewVersions = failureAlarms(metrics).map(add);
  const others = [
    ...tokenAlarms(metrics),
    signQuotaAlarm(metrics, config),
    ...(config.fairShare.mode === 'off' ? [] : [largestClientAlarm(metrics)]),
    ...checkAlarms(metrics, config),
    throttledAlarm(metrics),
    secretExpiryAlarm(metrics),
    ...watchedFunctions.flatMap((name) => functionAlarms(metrics, name)),
    ...tableAlarms(metrics),
    managementTablesAlarm(metrics),
  ];
  return { ofNewVersions, alarms: [...ofNewVersions, ...others.map(add)] };
}

function failureAlarms(metrics: ServiceMetrics): readonly AlarmProps[] {
  return [
    {
      id: 'api-errors',
      description: 'The API answers with server errors.',
      metric: metrics.ofApi('5XXError'),
      // A single error may be a lost connection; five a minute are a fault.
      threshold: 5,
      bad: [3, 5],
    },
    {
      id: 'token-unavailable',
      description: 'Token requests are refused because KMS or DynamoDB does not answer in time.',
      metric: metrics.tokenRequests('temporarily_unavailable'),
      threshold: 5,
      bad: [3, 5],
    },
  ];
}

/** In five minutes: more than an operator stops one by one. */
const manyRemovals = 20;

function tokenAlarms(metrics: ServiceMetrics): readonly AlarmProps[] {
  return [
    {
      id: 'token-refusals',
      description: 'Most token requests are refused with 400 or 401.',
      metric: metrics.refusedShare(),
      // There is always some client with an old secret; more than half of all requests are a fault
      // or an attack.
      threshold: 50,
      bad: [2, 2],
    },
    {
      id: 'clock-differences',
      description: 'The clock of a host of the token function differs from that of API Gateway.',
      metric: metrics.own('token', requestMetrics.clockDifferences),
      bad: [2, 5],
    },
    {
      id: 'mass-removals',
      description: `${manyRemovals} or more clients, secrets, API keys or providers were stopped or deleted within five minutes.`,
      metric: metrics.own('management', managementMetrics.removals, { minutes: 5 }),
      threshold: manyRemovals,
    },
    {
      id: 'unverifiable-signatures',
      description: 'KMS returned a signature that the published key does not verify.',
      metric: metrics.own('token', requestMetrics.unverifiableSignatures),
    },
    {
      id: 'signing-key-fallback',
      description: 'KMS refuses the current signing key, so another one signs.',
      metric: metrics.own('token', requestMetrics.signingKeyFallbacks),
    },
    {
      id: 'token-latency',
      isTicket: true,
      description: 'One token request in a hundred takes longer than two seconds.',
      metric: metrics.ofFunction('token', 'Duration', { statistic: 'p99', minutes: 5 }),
      threshold: slowTokenRequest,
      bad: [3, 3],
    },
  ];
}

/** Percent of an instance's new tokens that one client takes before others notice. */
const largeShare = 50;

/** The metric has values only if the client asks for half of what it may. */
const largestClientAlarm = (metrics: ServiceMetrics): AlarmProps => ({
  id: 'largest-client',
  isTicket: true,
  page: 'kms-sign-quota',
  description: 'One client asks for most tokens: it does not use each one until it expires.',
  metric: metrics.own('token', requestMetrics.largestClientShare, { statistic: 'Maximum' }),
  threshold: largeShare,
  bad: [5, 10],
});

function signQuotaAlarm(metrics: ServiceMetrics, config: DeploymentConfig): AlarmProps {
  const [alg = 'RS256'] = config.signingAlgorithms;
  return {
    id: 'kms-sign-quota',
    isTicket: true,
    description: `KMS calls have reached ${quotaShare * 100} % of the quota of ${config.kmsSignQuota} a second.`,
    metric: metrics.signCalls(alg),
    threshold: Math.floor(config.kmsSignQuota * 60 * quotaShare),
    bad: [2, 5],
  };
}

/** Two runs in a row: a single one can fail because of a restart or a lost connection. */
function checkAlarms(metrics: ServiceMetrics, { domain }: DeploymentConfig): readonly AlarmProps[] {
  const run = { minutes: syntheticCheckMinutes };
  const synthetic: AlarmProps = {
    id: 'synthetic-check-failed',
    description: 'Twice in a row the synthetic check could not get a token and verify it.',
    metric: metrics.own('synthetic-check', syntheticMetrics.passed, run),
    isBelow: true,
    bad: [2, 2],
    missingIsBad: true,
  };
  // The name of the issuer has a record, a certificate and a mapping that the region's own name does
  // not need. Without a domain they are one name.
  const issuer: AlarmProps = {
    id: 'issuer-check-failed',
    description: 'Twice in a row the name of the issuer has not led to its keys.',
    metric: metrics.own('synthetic-check', syntheticMetrics.issuerPassed, run),
    isBelow: true,
    bad: [2, 2],
  };
  return domain === undefined ? [synthetic] : [synthetic, issuer];
}

const throttledAlarm = (metrics: ServiceMetrics): AlarmProps => ({
  id: 'gateway-throttled',
  description: 'API Gateway refuses requests with 429, because they exceed a throttle.',
  metric: metrics.ofGateway(gatewayMetrics.throttled),
  // Less is a single client that sends a burst.
  threshold: 5,
  bad: [3, 5],
});

/** A period of a day, so a client that requests one token a day keeps the alarm on. */
function secretExpiryAlarm(metrics: ServiceMetrics): AlarmProps {
  return {
    id: 'client-secret-expiry',
    isTicket: true,
    description: `A client uses a secret that expires within ${secretAlarmDays} days.`,
    metric: metrics.own('token', requestMetrics.secretDaysLeft, {
      statistic: 'Minimum',
      minutes: 24 * 60,
    }),
    isBelow: true,
    threshold: secretAlarmDays,
  };
}

/** In the region that sends the notices. */
export const noticesAlarm = (metrics: ServiceMetrics): AlarmProps => ({
  id: 'notices-missed',
  isTicket: true,
  description: `For ${noticeAlarmHours} hours no run has told what expires.`,
  metric: metrics.own('notices', noticeMetrics.told, { minutes: 60 }),
  isBelow: true,
  bad: [noticeAlarmHours, noticeAlarmHours],
  missingIsBad: true,
});

/** Days of a certificate at which there is still time to renew it by hand. */
const certificateAlarmDays = 30;

/**
 * ACM renews a certificate 60 days before it expires, by the record that the stack has in the zone.
 * Fewer days than this mean that the record or the zone is lost.
 */
export function certificateAlarm(certificate: ICertificate, of: 'service' | 'portal'): AlarmProps {
  return {
    id: of === 'service' ? 'certificate-expiry' : 'portal-certificate-expiry',
    page: 'certificate-expiry',
    isTicket: true,
    description: `The certificate of the ${of} expires within ${certificateAlarmDays} days, because ACM could not renew it.`,
    metric: certificate.metricDaysToExpiry({ statistic: 'Minimum', period: Duration.days(1) }),
    isBelow: true,
    threshold: certificateAlarmDays,
  };
}

/** Functions of a schedule: another alarm rings if their work is not done. */
const waits = (name: FunctionName): boolean =>
  ['canary', 'key-rotation', 'synthetic-check', 'portal'].includes(name);

export function functionErrors(metrics: ServiceMetrics, name: FunctionName): AlarmProps {
  return {
    id: `${name}-function-errors`,
    page: 'function-errors',
    isTicket: waits(name),
    description: `The ${name} function ends with errors: it crashed or ran out of time.`,
    metric: metrics.ofFunction(name, 'Errors', { minutes: 5 }),
    bad: [2, 3],
  };
}

function functionAlarms(metrics: ServiceMetrics, name: FunctionName): readonly AlarmProps[] {
  return [
    functionErrors(metrics, name),
    {
      id: `${name}-function-throttled`,
      page: 'function-throttled',
      isTicket: waits(name),
      description: `The ${name} function has no concurrency left, so Lambda refuses requests.`,
      metric: metrics.ofFunction(name, 'Throttles'),
      bad: [3, 5],
    },
  ];
}

function tableAlarms(metrics: ServiceMetrics): readonly AlarmProps[] {
  return (['clients', 'signingKeys'] as const).map((table) => ({
    id: `${table === 'clients' ? 'clients' : 'signing-keys'}-table-throttled`,
    page: 'table-throttled',
    description: `DynamoDB throttles reads of the ${table} table.`,
    metric: metrics.ofTable(table, 'ReadThrottleEvents'),
    bad: [3, 5],
  }));
}

/** One alarm: what fails is the same for all of them, and each metric has a price. */
function managementTablesAlarm(metrics: ServiceMetrics): AlarmProps {
  const read = 'ReadThrottleEvents';
  return {
    id: 'management-tables-throttled',
    page: 'table-throttled',
    description: 'DynamoDB throttles the audit, settings, identity-providers or api-keys table.',
    metric: new MathExpression({
      expression:
        'FILL(audit, 0) + FILL(settings, 0) + FILL(identityProviders, 0) + FILL(apiKeys, 0)',
      usingMetrics: {
        // A change that cannot be recorded is not made.
        audit: metrics.ofTable('audit', 'WriteThrottleEvents'),
        settings: metrics.ofTable('settings', read),
        identityProviders: metrics.ofTable('identityProviders', read),
        apiKeys: metrics.ofTable('apiKeys', read),
      },
      period: Duration.minutes(1),
    }),
    bad: [3, 5],
  };
}

/**
 * Five a minute are not the mistake of one client. A version with a tenth of 50 requests a minute
 * also reaches this number.
 */
const leastRefusals = 5;

/** Counts requests by version, and looks at the newest version. */
function countOfVersion(
  scope: Construct,
  { deploymentName }: AlarmContext,
  { logGroup, handler }: ServiceFunction<'token'>,
  [metricName, ...patterns]: readonly [metricName: string, ...patterns: JsonPattern[]],
): Metric {
  const namespace = metricNamespace(deploymentName);
  new MetricFilter(scope, metricName, {
    logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.exists(`$.${functionVersionProperty}`),
      ...patterns,
    ),
    metricNamespace: namespace,
    metricName,
    metricValue: '1',
    dimensions: { [functionVersionProperty]: `$.${functionVersionProperty}` },
  });
  const { version } = handler.currentVersion;
  return makeMetric(namespace, metricName, { [functionVersionProperty]: version });
}

/**
 * Whether the newest version of the token function refuses most requests, for any reason that is not
 * a fault of AWS. The share of all requests does not show this, because a version with a tenth of
 * them never reaches half. To block a deployment, a stranger needs as many requests that are refused
 * as the version issues tokens.
 */
export function addVersionAlarm(
  scope: Construct,
  context: AlarmContext,
  token: ServiceFunction<'token'>,
): Alarm {
  const count = (...of: Parameters<typeof countOfVersion>[3]) =>
    countOfVersion(scope, context, token, of);
  return addAlarm(scope, context, {
    id: 'version-refuses-clients',
    description: 'The newest version of the token function refuses most requests.',
    page: 'token-refusals',
    isTicket: true,
    metric: new MathExpression({
      expression: `IF(FILL(refused, 0) >= ${leastRefusals} AND FILL(refused, 0) >= FILL(issued, 0), 1, 0)`,
      usingMetrics: {
        issued: count(
          versionMetrics.issued,
          FilterPattern.stringValue(`$.${metricDimensions.outcome}`, '=', 'issued'),
        ),
        refused: count(
          versionMetrics.refused,
          FilterPattern.stringValue('$.path', '=', tokenPath),
          FilterPattern.numberValue('$.status', '>=', 400),
          FilterPattern.numberValue('$.status', '<', 500),
        ),
      },
      period: Duration.minutes(1),
    }),
    // Within the five minutes of a tenth of the requests. The first minute is not complete.
    bad: [2, 3],
    silent: true,
  });
}
