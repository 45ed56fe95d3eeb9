import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  type DeploymentConfig,
  deployedRegions,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { keyMetrics, keyScheduleMinutes } from '../../../contract/key-metrics.ts';
import { requestMetrics } from '../../../contract/request-metrics.ts';
import { syntheticMetrics } from '../../../contract/synthetic-check.ts';
import { addAuthorizationServer } from '../../../lib/authorization-server.ts';
import { prices } from './prices.ts';
import {
  type Configuration,
  type CostLines,
  costOfLog,
  costOfMillion,
  secondsAMonth,
  type TokenWork,
} from './token-cost.ts';

/** What a deployment has of things with a monthly price, counted in its templates. */
export interface Inventory {
  readonly regions: number;
  readonly resources: number;
  readonly functions: number;
  readonly tables: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly healthChecks: number;
  readonly webAcls: number;
  readonly webAclRules: number;
  readonly secrets: number;
  /** In the first region, unless the config leaves it out. */
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
  return {
    regions: deployedRegions(config).length,
    resources: sum(
      stacks.map((stack) => Object.keys(Template.fromStack(stack).toJSON()['Resources']).length),
    ),
    functions: find('AWS::Lambda::Function').length,
    tables: find('AWS::DynamoDB::GlobalTable').length,
    alarmMetrics: sum(find('AWS::CloudWatch::Alarm').map(countMetrics)),
    dashboards: find('AWS::CloudWatch::Dashboard').length,
    healthChecks: find('AWS::Route53::HealthCheck').length,
    webAcls: webAcls.length,
    webAclRules: sum(webAcls.map(({ Properties }) => Properties?.['Rules'].length ?? 0)),
    secrets: find('AWS::SecretsManager::Secret').length,
  };
}

const million = 1e6;

/** Of each region: the next one, the current one, and the previous one of the last rotation. */
const keysOfRegion = 3;

/** Functions that answer requests while only the checks of the service itself use it. */
const idleHttpOutcomes = ['token issued', 'jwks served', 'discovery served'] as const;

/** Metrics of a region that something emits at least once an hour, although no client asks. */
function countOwnMetrics({ healthChecks }: Inventory): number {
  const ofRequest = [
    requestMetrics.requests,
    requestMetrics.refusals,
    requestMetrics.failures,
    requestMetrics.latency,
  ].length;
  // Each is emitted for the function, and for the function and the outcome.
  const ofHttp = ofRequest * (2 * idleHttpOutcomes.length + (healthChecks > 0 ? 1 : 0));
  const onlyInTrouble = [keyMetrics.retainedKeyRefusal, keyMetrics.jwksEmpty].length;
  const ofSchedules = Object.keys(keyMetrics).length - onlyInTrouble;
  return ofHttp + ofSchedules + Object.keys(syntheticMetrics).length;
}

/** Health checkers ask a region about every other second in total. */
export const healthRequestsAMonth = secondsAMonth / 2;

/** Seconds between two signatures of the self-test that answers them. */
const selfTestSeconds = 10;

/** What a request to /health takes: most are answered from memory. */
function costOfHealthRequests(configuration: Configuration, work: TokenWork): number {
  const cheap: TokenWork = { ...work, cpuMs: 0.1, waitMs: 0, signWaitMs: 0, responseBytes: 700 };
  const ofRequests = costOfMillion({ ...configuration, reused: 1 }, cheap, {
    tokens: healthRequestsAMonth,
    others: 0,
  });
  const { 'KMS Sign': _sign, ...others } = ofRequests;
  const signs = (secondsAMonth / selfTestSeconds) * (prices.kms.per10kRsa2048 / 10_000);
  const requests = Object.values(others).reduce((sum, value) => sum + value, 0);
  return (healthRequestsAMonth / million) * requests + signs;
}

/**
 * One region's rotation, canary and synthetic check. Per round of the three: their compute at half a
 * second each, a signature for each of the keys and one for the token, the calls that inspect keys,
 * some 20 reads and 4 writes, and 3 requests to the API. Their runs and requests come one at a time,
 * so X-Ray records each.
 */
function costOfSchedules(work: TokenWork): number {
  const rounds = secondsAMonth / 60 / keyScheduleMinutes;
  const gbSeconds = 3 * 0.5 * 0.5;
  const kmsCalls = keysOfRegion * 2 + 1;
  const { lambda, kms, dynamodb, restApiTiers, xray } = prices;
  const perRound =
    gbSeconds * lambda.perGbSecond +
    (3 * lambda.perMillionRequests) / million +
    (kmsCalls * kms.per10kRsa2048) / 10_000 +
    (20 * dynamodb.perMillionReadUnits + 4 * dynamodb.perMillionWriteUnits) / million +
    (3 * restApiTiers[0].perMillion) / million +
    (6 * xray.perMillionTraces) / million +
    costOfLog((6 * work.logBytes) / 1e9);
  return rounds * perRound;
}

/** What an idle portal adds to a deployment, in dollars a month. */
export function costOfPortal(without: Inventory, withPortal: Inventory): CostLines {
  const added = (name: keyof Inventory) => withPortal[name] - without[name];
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
    'own metrics': regions * countOwnMetrics(inventory) * prices.metricMonth,
    dashboards: inventory.dashboards * prices.dashboardMonth,
    'signing keys': regions * keysOfRegion * prices.kms.perKeyMonth,
    'rotation and checks': regions * costOfSchedules(work),
    'health checks, and their requests':
      healthChecks * (prices.healthCheckMonth + costOfHealthRequests(configuration, work)),
    'web ACL': webAcls * webAcl.perMonth + webAclRules * webAcl.perRuleMonth,
  };
}
