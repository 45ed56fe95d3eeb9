import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { metricNamespace } from '../../contract/alarms.ts';
import type { FunctionName } from '../../contract/environment.ts';
import { functionName } from '../../contract/function-names.ts';
import { issuedOutcome, outcomeDimension, requestMetrics } from '../../contract/request-metrics.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { type TableKey, tableName } from '../../contract/tables.ts';

/** Metrics of one region's service, ours and AWS's. */
export class ServiceMetrics {
  private readonly deploymentName: string;

  constructor(deploymentName: string) {
    this.deploymentName = deploymentName;
  }

  /** Requests to the token endpoint, all of them or those of one outcome. */
  tokenRequests(outcome?: string): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName: requestMetrics.tokenRequests,
      dimensionsMap: {
        service: functionName(this.deploymentName, 'token'),
        ...(outcome === undefined ? {} : { [outcomeDimension]: outcome }),
      },
      statistic: 'Sum',
      period: Duration.minutes(1),
      label: outcome ?? 'all',
    });
  }

  /** Percentage of token requests with an outcome. */
  tokenShare(outcome: string): IMetric {
    return new MathExpression({
      expression: '100 * part / FILL(total, 1)',
      usingMetrics: {
        part: this.tokenRequests(outcome).with({ period: Duration.minutes(5) }),
        total: this.tokenRequests().with({ period: Duration.minutes(5) }),
      },
      period: Duration.minutes(5),
      label: `${outcome}, % of token requests`,
    });
  }

  /**
   * Sign calls a minute against the account's quota. KMS reports those of RSA keys, whoever makes
   * them; for other keys the tokens issued here are the nearest thing.
   */
  signCalls(alg: Alg): Metric {
    if (signingAlgorithms[alg].kty !== 'RSA') return this.tokenRequests(issuedOutcome);
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
      label: name,
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
      label: metricName,
    });
  }

  /** One of DynamoDB's metrics of a table, of one operation where the metric has them. */
  ofTable(table: TableKey, metricName: string, statistic: string, operation?: string): Metric {
    return new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: {
        TableName: tableName(this.deploymentName, table),
        ...(operation === undefined ? {} : { Operation: operation }),
      },
      statistic,
      period: Duration.minutes(1),
      label: operation === undefined ? table : `${table} ${operation}`,
    });
  }
}
