import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { FunctionName } from '../../contract/environment.ts';
import { functionName } from '../../contract/function-names.ts';
import { metricNamespace } from '../../contract/key-metrics.ts';
import { metricDimensions, requestMetrics } from '../../contract/request-metrics.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { deployedTableName, type TableKey, type TableNames } from '../../contract/tables.ts';

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

/** Refusals in five minutes: more than those of a client that retries twice a minute. */
const leastRefusals = 11;

/**
 * Metrics of one region's service, ours and AWS's. They have no labels, because a label turns an
 * alarm on one metric into a metric math alarm.
 */
export class ServiceMetrics {
  private readonly names: TableNames;

  constructor(names: TableNames) {
    this.names = names;
  }

  private get deploymentName(): string {
    return this.names.name;
  }

  /** One of our own metrics: the total of a function, or of one outcome of its requests. */
  own(name: FunctionName, metricName: string, statistic = 'Sum', outcome?: string): Metric {
    return new Metric({
      namespace: metricNamespace(this.deploymentName),
      metricName,
      dimensionsMap: {
        service: name,
        ...(outcome === undefined ? {} : { [metricDimensions.outcome]: outcome }),
      },
      statistic,
      period: Duration.minutes(1),
    });
  }

  /** One of our own metrics that is made from the access log. */
  ofGateway(metricName: string): Metric {
    return new Metric({
      namespace: metricNamespace(this.deploymentName),
      metricName,
      statistic: 'Sum',
      period: Duration.minutes(1),
    });
  }

  /** Token requests of one outcome. */
  tokenRequests(outcome: string): Metric {
    return this.own('token', requestMetrics.requests, 'Sum', outcome);
  }

  /**
   * Percentage of the token requests whose client failed to authenticate. 0 if there are so few
   * requests that one client with an old secret, which retries each minute, could be most of them.
   */
  invalidClientShare(): IMetric {
    const period = Duration.minutes(5);
    const refused = '(FILL(invalid, 0) + FILL(throttled, 0))';
    return new MathExpression({
      expression: `IF(${refused} >= ${leastRefusals}, 100 * ${refused} / (${refused} + FILL(issued, 1)), 0)`,
      usingMetrics: {
        invalid: this.tokenRequests('invalid_client').with({ period }),
        // This includes requests that were refused without a check after too many failures.
        throttled: this.tokenRequests('throttled').with({ period }),
        issued: this.tokenRequests('issued').with({ period }),
      },
      period,
    });
  }

  /**
   * Sign calls a minute against the account's quota. KMS reports calls with RSA keys of all
   * callers. For other keys, the tokens issued here are the best estimate.
   */
  signCalls(alg: Alg): Metric {
    if (signingAlgorithms[alg].kty !== 'RSA') return this.tokenRequests('issued');
    return new Metric({
      namespace: 'AWS/Usage',
      metricName: 'CallCount',
      dimensionsMap: {
        Service: 'KMS',
        Type: 'API',
        Resource: 'CryptographicOperationsRsa',
        Class: 'None',
      },
      statistic: 'Sum',
      period: Duration.minutes(1),
    });
  }

  /** One of Lambda's metrics of a function. */
  ofFunction(name: FunctionName, metricName: string, statistic: string): Metric {
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: functionName(this.deploymentName, name) },
      statistic,
      period: Duration.minutes(1),
    });
  }

  /** One of API Gateway's metrics of the whole API. */
  ofApi(stage: string, metricName: string, statistic: string): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiName: this.deploymentName, Stage: stage },
      statistic,
      period: Duration.minutes(1),
    });
  }

  /** One of DynamoDB's metrics of a table, of one operation if the metric has them. */
  ofTable(table: TableKey, metricName: string, statistic: string, operation?: string): Metric {
    return new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: {
        TableName: deployedTableName(this.names, table),
        ...(operation === undefined ? {} : { Operation: operation }),
      },
      statistic,
      period: Duration.minutes(1),
    });
  }
}
