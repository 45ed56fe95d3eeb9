import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { FunctionName } from '../../contract/environment.ts';
import { functionName } from '../../contract/function-names.ts';
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

  /** One of our own metrics: the total of a function, or of one outcome of its requests. */
  own(service: FunctionName, metricName: string, statistic = 'Sum', outcome?: string): Metric {
    return makeMetric(this.namespace, metricName, statistic, {
      service,
      ...(outcome !== undefined && { [metricDimensions.outcome]: outcome }),
    });
  }

  /** One of our own metrics that is made from the access log. */
  ofGateway(metricName: string): Metric {
    return makeMetric(this.namespace, metricName, 'Sum');
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
    return makeMetric('AWS/Usage', 'CallCount', 'Sum', {
      Service: 'KMS',
      Type: 'API',
      Resource: 'CryptographicOperationsRsa',
      Class: 'None',
    });
  }

  /** One of Lambda's metrics of a function. */
  ofFunction(name: FunctionName, metricName: string, statistic: string): Metric {
    const FunctionName = functionName(this.names.name, name);
    return makeMetric('AWS/Lambda', metricName, statistic, { FunctionName });
  }

  /** One of API Gateway's metrics of a whole API, by default the service's. */
  ofApi(metricName: string, ApiName = this.names.name): Metric {
    return makeMetric('AWS/ApiGateway', metricName, 'Sum', { ApiName, Stage: stageName });
  }

  /** One of DynamoDB's metrics of a table, of one operation if the metric has them. */
  ofTable(table: TableKey, metricName: string, statistic: string, operation?: string): Metric {
    return makeMetric('AWS/DynamoDB', metricName, statistic, {
      TableName: deployedTableName(this.names, table),
      ...(operation !== undefined && { Operation: operation }),
    });
  }

  private get namespace(): string {
    return metricNamespace(this.names.name);
  }
}

/** A metric a minute. */
export function makeMetric(
  namespace: string,
  metricName: string,
  statistic: string,
  dimensionsMap: Readonly<Record<string, string>> = {},
): Metric {
  const period = Duration.minutes(1);
  return new Metric({ namespace, metricName, statistic, period, dimensionsMap });
}
