import {
  ArnFormat,
  AspectPriority,
  Aspects,
  type Duration,
  type IAspect,
  RemovalPolicy,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import {
  Effect,
  ManagedPolicy,
  PolicyStatement,
  Role,
  type RoleProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  CfnFunction,
  type EventInvokeConfigOptions,
  Function,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { DeploymentConfigError } from '../../contract/deployment-config.ts';
import {
  type FunctionName,
  functionName,
  liveAlias,
  roleName,
} from '../../contract/function-names.ts';
import type { functionSettings } from '../../contract/function-settings.ts';
import { ownValue } from '../../contract/own-value.ts';
import { awsRegions, partitionOf } from '../../contract/partitions.ts';
import { settingsVariable } from '../../contract/read-settings.ts';
import type { RegionId } from '../../contract/regions.ts';
import { metricNamespace } from '../../contract/request-metrics.ts';
import type { HttpFunctionName } from '../../contract/routes.ts';
import { functionBundle } from './function-bundles.ts';

/** Common properties of the functions of one region. */
export interface FunctionContext {
  readonly deploymentName: string;
  readonly regionId: RegionId;
  /** Whether X-Ray traces it. */
  readonly tracing: 'on' | 'off';
  /** Folder of the bundles, e.g. `dist/lambda`. */
  readonly bundles: string;
}

export interface ServiceFunctionProps<F extends FunctionName> extends FunctionContext {
  readonly name: F;
  readonly description: string;
  /** Files next to the bundle that depend on the deployment, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Exactly what the function reads; values may be known only at deployment. */
  readonly settings: ReturnType<(typeof functionSettings)[F]>;
  readonly memorySize: number;
  readonly timeout: Duration;
  /** Concurrent executions that are reserved for the function. It gets no more. */
  readonly reservedConcurrency?: number | undefined;
  /** Whether Lambda writes a report only of what fails. */
  readonly reportsFailuresOnly?: boolean | undefined;
}

type Conditions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** For a rule that wants traces, at what the config leaves without them. */
export function acknowledgeNoTracing(construct: Construct, id: string): void {
  Validations.of(construct).acknowledge({
    id,
    reason: 'The config turns tracing off: logs and metrics have the duration of each request.',
  });
}

/**
 * A function with its own role and log group. The role may write that log and send traces.
 * Everything else is granted when the function is created.
 */
export class ServiceFunction<F extends FunctionName> extends Construct {
  readonly name: F;
  readonly role: Role;
  readonly handler: Function;
  readonly logGroup: LogGroup;
  private readonly arn: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<F>) {
    super(scope, id);
    this.name = props.name;
    this.arn = functionArn(this, props.deploymentName, props.name);
    this.logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName(props.deploymentName, props.name)}`,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.role = addFunctionRole(this, this.logGroup, {
      roleName: roleName(props.deploymentName, props.regionId, props.name),
      description: props.description,
    });
    this.handler = this.addHandler(props);
  }

  /**
   * The version that receives requests. A deployment changes it.
   *
   * @param provisionedConcurrency instances of it that are always started; none by default.
   */
  addLive(provisionedConcurrency?: number): Alias {
    return new Alias(this, 'Live', {
      aliasName: liveAlias,
      version: this.handler.currentVersion,
      ...(provisionedConcurrency !== undefined && {
        provisionedConcurrentExecutions: provisionedConcurrency,
      }),
    });
  }

  /** An alias of the present version. Each is for other callers, which may do different things. */
  addAlias(aliasName: string, invocations: EventInvokeConfigOptions = {}): Alias {
    return new Alias(this, `Alias-${aliasName}`, {
      ...invocations,
      aliasName,
      version: this.handler.currentVersion,
    });
  }

  /**
   * Allows exactly these actions, and only to code of this function. When the role is passed to
   * another function, it allows nothing there.
   */
  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions: Conditions = {},
  ): void {
    const ofThisFunction = { 'lambda:SourceFunctionArn': this.arn };
    const ArnEquals = { ...conditions['ArnEquals'], ...ofThisFunction };
    this.addStatement(Effect.ALLOW, actions, resources, { ...conditions, ArnEquals });
  }

  /** Denies these actions, even if another statement allows them. */
  deny(...statement: Parameters<ServiceFunction<F>['allow']>): void {
    this.addStatement(Effect.DENY, ...statement);
  }

  private addStatement(
    effect: Effect,
    actions: readonly string[],
    resources: readonly string[],
    conditions: Conditions = {},
  ): void {
    this.role.addToPolicy(
      new PolicyStatement({ effect, actions: [...actions], resources: [...resources], conditions }),
    );
  }

  private addHandler(props: ServiceFunctionProps<F>): Function {
    const environment: Readonly<Record<string, string>> = {
      [settingsVariable]: Stack.of(this).toJsonString(props.settings),
      AUTH_METRIC_NAMESPACE: metricNamespace(props.deploymentName),
    };
    const bytes = environmentBytes(this, environment);
    if (bytes > maxEnvironmentBytes) {
      throw new DeploymentConfigError([
        `the environment of the ${props.name} function takes up to ${bytes} bytes; allowed: ${maxEnvironmentBytes}`,
      ]);
    }
    const handler = new Function(this, 'Handler', {
      functionName: functionName(props.deploymentName, props.name),
      description: props.description,
      ...runtimeDefaults,
      code: functionBundle(props.bundles, props.name, props.files),
      role: this.role,
      logGroup: this.logGroup,
      tracing: props.tracing === 'on' ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(props.reportsFailuresOnly === true && { systemLogLevelV2: SystemLogLevel.WARN }),
      memorySize: props.memorySize,
      timeout: props.timeout,
      // Old versions are kept, so an alias can go back to them at once.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      environment,
    });
    Validations.of(handler).acknowledge({
      id: 'Serverless::Serverless-LambdaDLQ',
      reason:
        'Requests are answered while the caller waits. A scheduled function takes every step that is due: the next run does what a failed run could not, and a missed run is an alarm.',
    });
    allowNetwork(handler);
    if (props.tracing === 'off')
      acknowledgeNoTracing(handler, 'Serverless::Serverless-LambdaTracing');
    return handler;
  }
}

/** With them, Lambda attaches a function to a network, in its role's name and not in the function's. */
const networkActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Allows a role what Lambda needs if an aspect of the company's app gives the function a network. */
export function allowNetwork(handler: Function): void {
  let isAllowed = false;
  const aspect: IAspect = {
    visit: (node) => {
      if (isAllowed || !(node instanceof CfnFunction) || node.vpcConfig === undefined) return;
      isAllowed = true;
      handler.addToRolePolicy(new PolicyStatement({ actions: networkActions, resources: ['*'] }));
    },
  };
  // After the aspects of the app.
  Aspects.of(handler).add(aspect, { priority: AspectPriority.DEFAULT + 1 });
}

/** The role of a function, which may write the function's log and send traces. */
export function addFunctionRole(
  scope: Construct,
  logGroup: LogGroup,
  props: Pick<RoleProps, 'roleName' | 'description'>,
): Role {
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(scope, 'Role', { assumedBy, ...props });
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray has no resources: PutTraceSegments and PutTelemetryRecords accept only "*".',
  });
  return role;
}

/** Lambda's limit for the names and values of all variables of one function, in bytes. */
const maxEnvironmentBytes = 4096;

/** Room for a value that is known only at deployment: an API's id, an account, a role's ARN. */
const bytesPerUnknown = 128;

/** Characters of the longest text of a partition. */
function longest(textOf: (partition: ReturnType<typeof partitionOf>) => string): number {
  return Math.max(...awsRegions.map((region) => textOf(partitionOf(region)).length));
}

/** Longest values of CloudFormation's pseudo parameters, in bytes. */
const pseudoParameterBytes: Readonly<Record<string, number>> = {
  'AWS::AccountId': '123456789012'.length,
  'AWS::Partition': longest(({ id }) => id),
  'AWS::URLSuffix': longest(({ domain }) => domain),
};

/** Upper estimate of the size of a function's environment, in bytes. */
function environmentBytes(scope: IConstruct, variables: Readonly<Record<string, string>>): number {
  return Object.entries(variables).reduce(
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name) + valueBytes(Stack.of(scope).resolve(value)),
    0,
  );
}

/** The size of a text, or of a value that CloudFormation resolves to one. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return bytesPerUnknown;
  if ('Ref' in value) return ownValue(pseudoParameterBytes, value.Ref) ?? bytesPerUnknown;
  if (!('Fn::Join' in value)) return bytesPerUnknown;
  const [, parts] = value['Fn::Join'] as [string, readonly unknown[]];
  return parts.reduce<number>((sum, part) => sum + valueBytes(part), 0);
}

/** The runtime of every bundle of this project. */
export const runtimeDefaults = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  loggingFormat: LoggingFormat.JSON,
  tracing: Tracing.ACTIVE,
} as const;

/**
 * A function's ARN by its fixed name. The construct's own attribute would cause a cycle, because
 * the policies of the function's role exist before the function.
 */
export function functionArn(scope: IConstruct, deploymentName: string, name: FunctionName): string {
  return Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName(deploymentName, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/** ARN of a table of this account by its name. @param region by default that of the stack. */
export function namedTableArn(scope: IConstruct, resourceName: string, region?: string): string {
  const table = { service: 'dynamodb', resource: 'table', resourceName };
  return Stack.of(scope).formatArn({ ...table, ...(region !== undefined && { region }) });
}

/**
 * The caller that AWS sees behind a function's calls. Lambda assumes the function's role and names
 * the session after the function.
 */
export function sessionArn(
  scope: IConstruct,
  deploymentName: string,
  regionId: RegionId,
  name: FunctionName,
): string {
  const role = roleName(deploymentName, regionId, name);
  return Stack.of(scope).formatArn({
    service: 'sts',
    region: '',
    resource: 'assumed-role',
    resourceName: `${role}/${functionName(deploymentName, name)}`,
  });
}

/**
 * Gives a new version of a function a tenth of the requests for five minutes, and then all of them
 * if no alarm has fired.
 *
 * @param alarms when any of them fires while a version is new, the old version comes back.
 */
export function addGradualDeployment(
  scope: Construct,
  applicationName: string,
  aliases: Readonly<Record<HttpFunctionName, Alias>>,
  alarms: readonly IAlarm[],
): void {
  const application = new LambdaApplication(scope, 'Application', { applicationName });
  const role = addServiceRole(scope, 'Role', {
    service: 'codedeploy',
    description: 'Shifts requests between two versions of a function',
    policy: 'AWSCodeDeployRoleForLambdaLimited',
    reason:
      "CodeDeploy's own policy for Lambda, the limited one: it reads alarms and moves aliases.",
  });
  for (const [name, alias] of Object.entries(aliases)) {
    new LambdaDeploymentGroup(scope, name, {
      application,
      deploymentGroupName: name,
      alias,
      role,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...alarms],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
  }
}

interface ServiceRoleProps {
  readonly service: string;
  readonly description: string;
  /** Name of AWS's own policy. */
  readonly policy: string;
  /** Why that policy is the right one. */
  readonly reason: string;
}

/** The role of a service of AWS, with AWS's own policy for it. */
export function addServiceRole(scope: Construct, id: string, props: ServiceRoleProps): Role {
  const policy = `service-role/${props.policy}`;
  const role = new Role(scope, id, {
    assumedBy: new ServicePrincipal(`${props.service}.amazonaws.com`),
    description: props.description,
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
  });
  Validations.of(role).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
    reason: props.reason,
  });
  return role;
}
