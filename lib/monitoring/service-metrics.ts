import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { authenticationFailureThrottle } from '../../contract/bounds.ts';
import { type FunctionName, functionName } from '../../contract/function-names.ts';
import {
  metricDimensions,
  metricNamespace,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { deployedTableName, type TableKey, type TableNames } from '../../contract/tables.ts';
import { stageName } from '../api/service-api.ts';

/** The functions of a region that run outside deployments. */
export const watchedFunctions: readonly FunctionName[] = [
  'token',
  'discovery',
  'jwks',
  'canary',
  'key-rotation',
  'synthetic-check',
  'management',
];

/** Requests with 400 in five minutes: more than those of a client that retries twice a minute. */
const leastRefusals = 11;

/** In five minutes: the most that a client with one old secret has before an instance throttles it. */
const oneClientsFailures =
  (5 * 60 * authenticationFailureThrottle.repetitions) / authenticationFailureThrottle.window;

/**
 * Metrics of one region's service, ours and AWS's. They have no labels, because a label turns an
 * alarm on one metric into a metric math alarm.
 */
export class ServiceMetrics {
  private readonly names: TableNames;

  constructor(names: TableNames) {
    this.names = names;
  }

  /** One of our own metrics of a function. */
  own(service: FunctionName, metricName: string, reading?: Reading): Metric {
    return makeMetric(this.namespace, metricName, { service }, reading);
  }

  /** One of our own metrics that is made from the access log. */
  ofGateway(metricName: string, reading?: Reading): Metric {
    return makeMetric(this.namespace, metricName, {}, reading);
  }

  /** Token requests of one outcome. */
  tokenRequests(outcome: string, reading?: Reading): Metric {
    const dimensions = { service: 'token', [metricDimensions.outcome]: outcome };
    return makeMetric(this.namespace, requestMetrics.requests, dimensions, reading);
  }

  /**
   * Percentage of the token requests that are refused with 400 or 401. 0 if there are so few that one
   * client with a mistake could be most of them. Requests with 429 are not counted: they come from
   * clients that repeat what was refused.
   */
  refusedShare(): IMetric {
    const minutes = 5;
    const failed = `IF(FILL(failed, 0) > ${oneClientsFailures}, FILL(failed, 0), 0)`;
    const refused = `(FILL(invalid, 0) + ${failed})`;
    return new MathExpression({
      expression: `IF(${refused} >= ${leastRefusals}, 100 * ${refused} / (${refused} + FILL(issued, 1)), 0)`,
      usingMetrics: {
        invalid: this.own('token', requestMetrics.refusals, { minutes }),
        failed: this.tokenRequests('invalid_client', { minutes }),
        issued: this.tokenRequests('issued', { minutes }),
      },
      period: Duration.minutes(minutes),
    });
  }

  /**
   * Sign calls a minute against the account's quota. KMS reports calls with RSA keys of all
   * callers. For other keys, the tokens issued here are the best estimate.
   */
  signCalls(alg: Alg, reading?: Reading): Metric {
    if (signingAlgorithms[alg].kty !== 'RSA') return this.tokenRequests('issued', reading);
    const Resource = 'CryptographicOperationsRsa';
    const dimensions = { Service: 'KMS', Type: 'API', Resource, Class: 'None' };
    return makeMetric('AWS/Usage', 'CallCount', dimensions, reading);
  }

  /** One of Lambda's metrics of a function. */
  ofFunction(name: FunctionName, metricName: string, reading?: Reading): Metric {
    const FunctionName = functionName(this.names.name, name);
    return makeMetric('AWS/Lambda', metricName, { FunctionName }, reading);
  }

  /** One of API Gateway's metrics of a whole API, by default the service's. */
  ofApi(metricName: string, reading?: Reading, ApiName = this.names.name): Metric {
    return makeMetric('AWS/ApiGateway', metricName, { ApiName, Stage: stageName }, reading);
  }

  /** One of DynamoDB's metrics of a table, of one operation if the metric has them. */
  ofTable(table: TableKey, metricName: string, reading?: Reading, Operation?: string): Metric {
    const TableName = deployedTableName(this.names, table);
    const dimensions = { TableName, ...(Operation !== undefined && { Operation }) };
    return makeMetric('AWS/DynamoDB', metricName, dimensions, reading);
  }

  private get namespace(): string {
    return metricNamespace(this.names.name);
  }
}

/** How a metric is read: as its sum in each minute, without a label, by default. */
interface Reading {
  readonly statistic?: string;
  readonly minutes?: number;
  readonly label?: string;
}

export function makeMetric(
  namespace: string,
  metricName: string,
  dimensionsMap: Readonly<Record<string, string>>,
  { statistic = 'Sum', minutes = 1, label }: Reading = {},
): Metric {
  const period = Duration.minutes(minutes);
  return new Metric({
    namespace,
    metricName,
    statistic,
    period,
    dimensionsMap,
    ...(label !== undefined && { label }),
  });
}
