import { Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import { type Alarm, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Function } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { functionSettings } from '../../contract/function-settings.ts';
import {
  type PlatformApiTable,
  platformApiAction,
  platformApiCondition,
  platformApiTables,
  recordKeyUseActions,
  recordKeyUseCondition,
} from '../../contract/platform-api-tables.ts';
import { settingsVariable } from '../../contract/read-settings.ts';
import {
  authorizerMetrics,
  metricNamespace,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { parseTableLocation, tableLocationHelp } from '../../contract/table-location.ts';
import { tableName } from '../../contract/tables.ts';
import { functionBundle } from '../functions/function-bundles.ts';
import {
  addFunctionRole,
  allowNetwork,
  namedTableArn,
  runtimeDefaults,
} from '../functions/service-function.ts';
import { type AlarmProps, createAlarm, notify } from '../monitoring/service-alarm.ts';
import { makeMetric, ServiceMetrics } from '../monitoring/service-metrics.ts';

interface AuthorizerFunctionProps {
  /** The deployment of the authorization server, for the names of metrics. */
  readonly deploymentName: string;
  readonly tables: TableArns;
  /** ARN of the table in which the last use of API keys is recorded, if it is. */
  readonly apiKeyUses: string | undefined;
  readonly bundles: string;
  readonly settings: ReturnType<typeof functionSettings.authorizer>;
}

/** One full vCPU: a verification needs CPU, and every request of the API waits for it. */
const memorySize = 1769;

/** Above the handler's own deadline for look-ups and key fetches; far below the gateway's 29 s. */
const timeout = Duration.seconds(10);

const description = 'Verifies bearer credentials';

/** The authorizer function. CloudFormation generates its name, so a stack can have several. */
export function addAuthorizerFunction(scope: Construct, props: AuthorizerFunctionProps): Function {
  const logGroup = new LogGroup(scope, 'Logs', {
    // The retention of the authorization server's own logs.
    retention: RetentionDays.THIRTEEN_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const role = addFunctionRole(scope, logGroup, { description });
  for (const statement of readTablesOf(props.tables, [platformApiAction])) {
    role.addToPolicy(statement);
  }
  if (props.apiKeyUses !== undefined) role.addToPolicy(recordUsesIn(props.apiKeyUses));
  const handler = new Function(scope, 'Handler', {
    ...runtimeDefaults,
    description,
    code: functionBundle(props.bundles, 'authorizer'),
    role,
    logGroup,
    memorySize,
    timeout,
    environment: {
      [settingsVariable]: Stack.of(scope).toJsonString(props.settings),
      AUTH_METRIC_NAMESPACE: metricNamespace(props.deploymentName),
    },
  });
  allowNetwork(handler);
  Validations.of(handler).acknowledge({
    id: 'Serverless::Serverless-LambdaDLQ',
    reason: 'API Gateway waits for each answer: there is no event to keep.',
  });
  return handler;
}

interface AuthorizerAlarmsProps {
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
export function addAuthorizerAlarms(
  scope: Construct,
  { deploymentName, handler, acceptsWithoutLookup, topic }: AuthorizerAlarmsProps,
): readonly Alarm[] {
  const ofLambda = (name: string, reading?: Parameters<typeof makeMetric>[3]) =>
    makeMetric('AWS/Lambda', name, { FunctionName: handler.functionName }, reading);
  // Of all authorizers of the deployment in this account and AWS region.
  const own = (name: string) =>
    new ServiceMetrics({ name: deploymentName }).own('authorizer', name);
  const withoutLookup: AlarmProps = {
    id: 'authorizer-accepts-without-lookup',
    isTicket: true,
    description: 'Tokens are accepted without the look-up that finds revoked ones.',
    metric: own(authorizerMetrics.acceptedWithoutLookup),
    bad: [3, 5],
  };
  const all: readonly AlarmProps[] = [
    {
      id: 'authorizer-failures',
      description: 'The authorizer reaches no decision, so callers get 500.',
      metric: own(requestMetrics.failures),
      threshold: 5,
      bad: [3, 5],
    },
    {
      id: 'authorizer-accepts-none',
      description: 'The authorizer crashes, or refuses every credential.',
      // Percentage of the invocations that end with an error; 0 if there are few.
      metric: new MathExpression({
        expression: `IF(invocations >= ${leastRequests}, 100 * errors / invocations, 0)`,
        usingMetrics: {
          invocations: ofLambda('Invocations', { minutes: 5 }),
          errors: ofLambda('Errors', { minutes: 5 }),
        },
        period: Duration.minutes(5),
      }),
      threshold: 100,
      bad: [3, 3],
    },
    {
      id: 'authorizer-throttled',
      description: 'The authorizer has no concurrency left, so callers get 500.',
      metric: ofLambda('Throttles'),
      bad: [3, 5],
    },
    {
      id: 'authorizer-latency',
      isTicket: true,
      description: 'One decision of the authorizer in a hundred takes longer than two seconds.',
      metric: ofLambda('Duration', { statistic: 'p99', minutes: 5 }),
      threshold: 2000,
      bad: [3, 3],
    },
    ...(acceptsWithoutLookup ? [withoutLookup] : []),
  ];
  const alarms = all.map((one) =>
    createAlarm(scope, deploymentName, { ...one, page: 'platform-authorizer' }),
  );
  for (const alarm of alarms) if (topic !== undefined) notify(alarm, topic);
  return alarms;
}

/** ARNs of the tables that a platform API reads. */
export type TableArns = Readonly<Record<PlatformApiTable, string>>;

/** A `tables` that names no tables. */
class TablesError extends Error {
  override readonly name = 'TablesError';
}

/**
 * The tables of an authorization server.
 *
 * @param tables the beginning of their names, in this account and AWS region, or of their ARNs.
 * @throws {TablesError} if it is neither.
 */
export function tableArns(scope: Construct, tables: string): TableArns {
  const location = Token.isUnresolved(tables) ? undefined : parseTableLocation(tables);
  if (location === undefined) {
    const received = Token.isUnresolved(tables) ? 'a token of CDK' : JSON.stringify(tables);
    throw new TablesError(`tables: received ${received}; allowed: ${tableLocationHelp}`);
  }
  const arnOf = (name: string) =>
    location.awsRegion === undefined ? namedTableArn(scope, name) : name;
  return Object.fromEntries(
    platformApiTables.map((key) => [key, arnOf(tableName(tables, key))]),
  ) as unknown as TableArns;
}

/** Permissions to read each table by its own keys. */
export function readTablesOf(
  tables: TableArns,
  actions: readonly string[],
): readonly PolicyStatement[] {
  return platformApiTables.map(
    (key) =>
      new PolicyStatement({
        actions: [...actions],
        resources: [tables[key]],
        conditions: platformApiCondition(key),
      }),
  );
}

/** Permission to record the last use of API keys, in the only table that a platform API writes to. */
function recordUsesIn(tableArn: string): PolicyStatement {
  return new PolicyStatement({
    actions: [...recordKeyUseActions],
    resources: [tableArn],
    conditions: recordKeyUseCondition,
  });
}
