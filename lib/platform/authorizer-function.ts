import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EnvironmentVariables } from '../../contract/environment.ts';
import { metricNamespace } from '../../contract/key-metrics.ts';
import { platformApiAction } from '../../contract/platform-api-tables.ts';
import { functionBundle } from '../functions/function-bundles.ts';
import { runtimeDefaults } from '../functions/service-function.ts';
import { readTablesOf, type TableArns } from './read-tables.ts';

export interface AuthorizerFunctionProps {
  /** The deployment of the authorization server, for the names of metrics. */
  readonly deploymentName: string;
  readonly tables: TableArns;
  readonly bundles: string;
  readonly environment: EnvironmentVariables<'authorizer'>;
}

/** One full vCPU: a verification needs CPU, and every request of the API waits for it. */
const memorySize = 1769;

/** Above the handler's own deadline for look-ups and key fetches; far below the gateway's 29 s. */
const timeout = Duration.seconds(10);

/** The authorizer function. CloudFormation generates its name, so a stack can have several. */
export class AuthorizerFunction extends Construct {
  readonly handler: Function;

  constructor(scope: Construct, id: string, props: AuthorizerFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      // The retention of the authorization server's own logs.
      retention: RetentionDays.THIRTEEN_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.handler = this.addHandler(props, logGroup, this.addRole(props, logGroup));
  }

  private addRole({ tables }: AuthorizerFunctionProps, logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Verifies bearer credentials',
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    for (const statement of readTablesOf(tables, [platformApiAction])) role.addToPolicy(statement);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources: PutTraceSegments and PutTelemetryRecords accept only "*".',
    });
    return role;
  }

  private addHandler(props: AuthorizerFunctionProps, logGroup: LogGroup, role: Role): Function {
    const handler = new Function(this, 'Handler', {
      ...runtimeDefaults,
      description: 'Verifies bearer credentials',
      code: functionBundle(props.bundles, 'authorizer'),
      role,
      logGroup,
      memorySize,
      timeout,
      environment: {
        ...(props.environment as Readonly<Record<string, string>>),
        POWERTOOLS_SERVICE_NAME: 'authorizer',
        POWERTOOLS_METRICS_NAMESPACE: metricNamespace(props.deploymentName),
      },
    });
    Validations.of(handler).acknowledge({
      id: 'Serverless::Serverless-LambdaDLQ',
      reason: 'API Gateway waits for each answer: there is no event to keep.',
    });
    return handler;
  }
}
