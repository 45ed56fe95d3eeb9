import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  type DeploymentConfig,
  deployedRegions,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { keyScheduleMinutes } from '../../../contract/key-metrics.ts';
import { versionMetrics } from '../../../contract/request-metrics.ts';
import { type SigningKeyPolicy, withdrawalDelay } from '../../../contract/signing-key-policy.ts';
import { addAuthorizationServer } from '../../../lib/authorization-server.ts';
import { prices } from './prices.ts';
import { restingMetrics } from './resting-metrics.ts';
import {
  type Configuration,
  type CostLines,
  costOfLog,
  costOfMillion,
  durationMs,
  secondsAMonth,
  type TokenWork,
} from './token-cost.ts';

/** What a deployment has of things with a monthly price, counted in its templates. */
export interface Inventory {
  readonly regions: number;
  readonly hasDomain: boolean;
  readonly resources: number;
  readonly functions: number;
  readonly tables: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly healthChecks: number;
  /** Options of all health checks that have a price: HTTPS, a text to find. */
  readonly healthCheckOptions: number;
  /** Share of Route 53's regions that ask. */
  readonly healthCheckerShare: number;
  /** Keys of a region that KMS bills on average. */
  readonly keysOfRegion: number;
  /** Metrics made from logs that have a value whenever there are tokens. */
  readonly tokenFilters: number;
  readonly webAcls: number;
  readonly webAclRules: number;
  readonly secrets: number;
  /** What the config says of traces, and of Lambda's reports. */
  readonly observed: Pick<Configuration, 'tracing' | 'reports'>;
}

interface Resource {
  // oxlint-disable-next-line typescript/no-explicit-any -- CloudFormation's shape
  readonly Properties?: Readonly<Record<string, any>>;
}

/** An alarm is billed for each metric that it reads; one that compares with a band, for three. */
function countMetrics({ Properties = {} }: Resource): number {
  if (Properties['ThresholdMetricId'] !== undefined) return 3;
  const metrics: readonly { readonly MetricStat?: object }[] = Properties['Metrics'] ?? [{}];
  return Math.max(1, metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);
}

/** What CloudWatch bills of alarms. */
export function countAlarmMetrics(alarms: readonly Resource[]): number {
  return alarms.reduce((total, alarm) => total + countMetrics(alarm), 0);
}

/** Regions from which Route 53 asks unless a check names some. */
const checkerRegions = 8;

function countOptions({ Properties = {} }: Resource): number {
  const type = String(Properties['HealthCheckConfig'].Type);
  return Number(type.startsWith('HTTPS')) + Number(type.endsWith('_STR_MATCH'));
}

function checkerShare(checks: readonly Resource[]): number {
  const regions = checks.map(
    ({ Properties }) => Properties?.['HealthCheckConfig'].Regions?.length ?? checkerRegions,
  );
  return Math.max(0, ...regions) / checkerRegions;
}

/**
 * The next key and the current one, and for a part of the time the one before, until its deletion is
 * requested: KMS bills no key that waits for it.
 */
function billedKeys(policy: SigningKeyPolicy): number {
  const { retention, deletionDelay, rotationPeriod } = policy;
  return 2 + (retention + withdrawalDelay(policy) + deletionDelay) / rotationPeriod;
}

/**
 * Synthesises a deployment and counts.
 *
 * @param bundles folder of the function bundles.
 */
export function takeInventory(input: unknown, bundles: string): Inventory {
  const config: DeploymentConfig = parseDeploymentConfig(input);
  const app = new App({ context: { 'aws:cdk:disable-stack-trace': true } });
  const { stacks } = addAuthorizationServer(app, config, { bundles });
  const find = (type: string): readonly Resource[] =>
    stacks.flatMap((stack: Stack) =>
      Object.values(Template.fromStack(stack).findResources(type) as Record<string, Resource>),
    );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const webAcls = find('AWS::WAFv2::WebACL');
  const healthChecks = find('AWS::Route53::HealthCheck');
  const filters = find('AWS::Logs::MetricFilter').filter(
    ({ Properties }) =>
      Properties?.['MetricTransformations'][0].MetricName === versionMetrics.issued,
  );
  return {
    regions: deployedRegions(config).length,
    hasDomain: config.domain !== undefined,
    resources: sum(
      stacks.map((stack) => Object.keys(Template.fromStack(stack).toJSON()['Resources']).length),
    ),
    functions: find('AWS::Lambda::Function').length,
    tables: find('AWS::DynamoDB::GlobalTable').length,
    alarmMetrics: countAlarmMetrics(find('AWS::CloudWatch::Alarm')),
    dashboards: find('AWS::CloudWatch::Dashboard').length,
    healthChecks: healthChecks.length,
    healthCheckOptions: sum(healthChecks.map(countOptions)),
    healthCheckerShare: checkerShare(healthChecks),
    keysOfRegion: billedKeys(config.signingKeyPolicy),
    tokenFilters: filters.length,
    webAcls: webAcls.length,
    webAclRules: sum(webAcls.map(({ Properties }) => Properties?.['Rules'].length ?? 0)),
    secrets: find('AWS::SecretsManager::Secret').length,
    observed: {
      ...(config.tracing === 'on' && { tracing: 'on' }),
      ...(config.functionReports === 'failures' && { reports: 'failures' }),
    },
  };
}

const million = 1e6;

/** Metrics that something emits at least once an hour, although no client asks. */
function countOwnMetrics({ regions, hasDomain, tokenFilters }: Inventory): number {
  const { ofRegion, ofDomain } = restingMetrics;
  const ofEach = ofRegion.length + (hasDomain ? ofDomain.length : 0);
  return regions * ofEach + tokenFilters;
}

/** All checkers ask a region about every other second in total. */
export function healthRequestsAMonth({ healthCheckerShare }: Inventory): number {
  return (secondsAMonth / 2) * healthCheckerShare;
}

/** Seconds between two signatures of the self-test that answers them. */
const selfTestSeconds = 10;

/** What a request to /health takes: most are answered from memory, and no function logs them. */
function costOfHealthRequests(
  inventory: Inventory,
  configuration: Configuration,
  work: TokenWork,
): number {
  const requests = healthRequestsAMonth(inventory);
  const cheap: TokenWork = {
    ...work,
    cpuMs: 0.1,
    waitMs: 0,
    signWaitMs: 0,
    responseBytes: 700,
    logBytes: work.silentLogBytes,
  };
  const ofRequests = costOfMillion({ ...configuration, unsigned: 1 }, cheap, {
    tokens: requests,
    others: 0,
  });
  const { 'KMS Sign': _sign, ...others } = ofRequests;
  const signs = (secondsAMonth / selfTestSeconds) * (prices.kms.per10kRsa2048 / 10_000);
  const ofAll = Object.values(others).reduce((sum, value) => sum + value, 0);
  return (requests / million) * ofAll + signs;
}

/**
 * One region's rotation, canary and synthetic check. Per round of the three: their compute at a
 * second each with a start, which Lambda bills too, a signature for each of the keys, one for the token
 * and one for the self-test, which takes what a token takes, the calls that inspect keys, some 22 reads and 5 writes, which DynamoDB repeats in the other regions, and 3 requests to the API.
 * Their runs and requests come one at a time, so X-Ray would record each.
 */
function costOfSchedules(
  { regions, keysOfRegion }: Inventory,
  configuration: Configuration,
  work: TokenWork,
): number {
  const rounds = secondsAMonth / 60 / keyScheduleMinutes;
  const gbSeconds =
    3 * 0.5 + (durationMs(work, configuration) / 1000) * (configuration.memory / 1024);
  const kmsCalls = Math.ceil(keysOfRegion) * 2 + 2;
  const { lambda, kms, dynamodb, restApiTiers, xray } = prices;
  const perRound =
    gbSeconds * lambda.perGbSecond +
    (4 * lambda.perMillionRequests) / million +
    (kmsCalls * kms.per10kRsa2048) / 10_000 +
    (22 * dynamodb.perMillionReadUnits + regions * 5 * dynamodb.perMillionWriteUnits) / million +
    (3 * restApiTiers[0].perMillion) / million +
    (configuration.tracing === 'on' ? (6 * xray.perMillionTraces) / million : 0) +
    costOfLog((6 * work.logBytes) / 1e9);
  return rounds * perRound;
}

/** Bytes of a record, and CPU milliseconds for it and its notice, as measured with 100,000. */
const noticeRecord = { bytes: 700, cpuMs: 0.055 };

/** Milliseconds of a read of 1 MiB and of a call of EventBridge with ten events. */
const noticeWaits = { read: 100, put: 30 };

/** One run of the notices function, which makes ten calls at once on one processor. */
function costOfNotices({
  records,
  notices,
}: {
  readonly records: number;
  readonly notices: number;
}): { readonly minutes: number; readonly dollars: number } {
  const bytes = records * noticeRecord.bytes;
  const waits = ((bytes / 2 ** 20) * noticeWaits.read + (notices / 10) * noticeWaits.put) / 10;
  const seconds = (records * noticeRecord.cpuMs + waits) / 1000;
  const { lambda, dynamodb, events } = prices;
  const dollars =
    seconds * (1769 / 1024) * lambda.perGbSecond +
    (bytes / 8192 / million) * dynamodb.perMillionReadUnits +
    (notices / million) * events.perMillion;
  return { minutes: seconds / 60, dollars };
}

/** What an idle portal adds to a deployment, in dollars a month. */
export function costOfPortal(without: Inventory, withPortal: Inventory): CostLines {
  const added = (name: 'alarmMetrics' | 'webAcls' | 'webAclRules' | 'secrets') =>
    withPortal[name] - without[name];
  const { webAcl } = prices;
  return {
    alarms: added('alarmMetrics') * prices.alarmMetricMonth,
    'web ACL': added('webAcls') * webAcl.perMonth + added('webAclRules') * webAcl.perRuleMonth,
    'session key': added('secrets') * prices.secretMonth,
  };
}

/** Dollars a month, whether or not a client asks for a token, by what they are paid for. */
export function standingCost(
  inventory: Inventory,
  configuration: Configuration,
  work: TokenWork,
): CostLines {
  const { regions, healthChecks, webAcls, webAclRules } = inventory;
  const { webAcl } = prices;
  return {
    alarms: inventory.alarmMetrics * prices.alarmMetricMonth,
    'own metrics': countOwnMetrics(inventory) * prices.metricMonth,
    dashboards: inventory.dashboards * prices.dashboardMonth,
    'signing keys': regions * inventory.keysOfRegion * prices.kms.perKeyMonth,
    'rotation and checks': regions * costOfSchedules(inventory, configuration, work),
    notices: (secondsAMonth / 86_400) * costOfNotices({ records: 10_000, notices: 100 }).dollars,
    'health checks, and their requests':
      healthChecks * prices.healthCheckMonth +
      inventory.healthCheckOptions * prices.healthCheckOptionMonth +
      (healthChecks > 0 ? healthChecks * costOfHealthRequests(inventory, configuration, work) : 0),
    'web ACL': webAcls * webAcl.perMonth + webAclRules * webAcl.perRuleMonth,
  };
}

/** A month of a deployment: what its account has for nothing in every month, in dollars. */
export function freeOfMonth(
  inventory: Inventory,
  configuration: Configuration,
  work: TokenWork,
  tokens: number,
): number {
  const { free, logs, lambda } = prices;
  const requests = tokens + inventory.healthChecks * healthRequestsAMonth(inventory);
  const gbSeconds =
    tokens * (durationMs(work, configuration) / 1000) * (configuration.memory / 1024);
  const least = Math.min;
  return (
    least(free.metrics, countOwnMetrics(inventory)) * prices.metricMonth +
    least(free.alarmMetrics, inventory.alarmMetrics) * prices.alarmMetricMonth +
    least(free.dashboards, inventory.dashboards) * prices.dashboardMonth +
    least(free.logGb, (tokens * work.logBytes) / 1e9) * logs.ingestTiers[0].perGb +
    (least(free.lambdaRequests, requests) / million) * lambda.perMillionRequests +
    least(free.lambdaGbSeconds, gbSeconds) * lambda.perGbSecond +
    least(free.gbOut, (tokens * work.responseBytes) / 1e9) * prices.perGbOut
  );
}
