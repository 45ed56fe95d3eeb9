import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  Capability,
  type ContainerDefinition,
  ContainerDependencyCondition,
  type ContainerImage,
  LinuxParameters,
  LogDrivers,
  NetworkMode,
  type TaskDefinition,
} from 'aws-cdk-lib/aws-ecs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { batchedPlatformApiActions } from '../../contract/platform-api-tables.ts';
import { readTablesOf, tableArns } from '../../lib/platform/authorizer-function.ts';
import { forwardAuthPort, forwardAuthUser, readyProbe } from './forward-auth-container.ts';

/** Which credentials the check accepts: all three, or only tokens of the issuer. */
export type AcceptedCredentials =
  | {
      /**
       * Where the authorization server's tables are: the beginning of their names in this account
       * and AWS region, or of their ARNs, e.g.
       * `arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server`. If they are in
       * another account, its config must name this one (`tableReaders`).
       */
      readonly tables: string;
      readonly ownTokensOnly?: never;
    }
  | {
      /** Accepts only tokens of the issuer. The check then reads no tables. */
      readonly ownTokensOnly: true;
      readonly tables?: never;
    };

/** The task of a {@link ForwardAuthSidecar}, and what it accepts. */
export type ForwardAuthSidecarProps = AcceptedCredentials & {
  /** The task in which the proxy runs. Its network mode is `awsvpc`: the check is on loopback. */
  readonly taskDefinition: TaskDefinition;
  /** The image of `examples/forward-auth/Dockerfile`. Name it by its digest. */
  readonly image: ContainerImage;
  /** The authorization server's issuer, exactly as in its discovery document. */
  readonly issuer: string;
  /** The values of `aud` by which your API knows itself; one at least. */
  readonly audiences: readonly string[];
  /**
   * Header in which the proxy sends the client's address, once, e.g. `X-Real-IP`.
   *
   * @default none: API keys with subnets are refused
   */
  readonly clientAddressHeader?: string;
  /**
   * Other options of the command by their names without `--`, e.g. `{ 'cache-lookups': '5' }`.
   *
   * @default none
   */
  readonly options?: Readonly<Record<string, string>>;
  /**
   * Memory at which the container is ended, in MiB. It needs some 100, and each health check 50
   * for a moment.
   *
   * @default 256
   */
  readonly memoryLimitMiB?: number;
};

/** Props that cannot be used. */
export class ForwardAuthSidecarError extends Error {
  override readonly name = 'ForwardAuthSidecarError';
}

/** More than the seconds that requests in progress have when the process stops. */
const stopTimeout = Duration.seconds(10);

function checkProps({ taskDefinition, audiences, options = {} }: ForwardAuthSidecarProps): void {
  if (taskDefinition.networkMode !== NetworkMode.AWS_VPC) {
    throw new ForwardAuthSidecarError(
      `networkMode: received ${taskDefinition.networkMode}; allowed: awsvpc, in which only the task's own containers reach the check`,
    );
  }
  if (audiences.length === 0 || audiences.some((value) => value === '' || value.includes(' '))) {
    throw new ForwardAuthSidecarError(
      `audiences: received ${JSON.stringify(audiences)}; allowed: one or more texts without spaces`,
    );
  }
  const own = [
    'issuer',
    'audience',
    'tables',
    'own-tokens-only',
    'client-address-header',
    'listen',
  ];
  const wrong = Object.keys(options).find((name) => own.includes(name) || !/^[a-z-]+$/.test(name));
  if (wrong !== undefined) {
    throw new ForwardAuthSidecarError(
      `options: received ${JSON.stringify(wrong)}; allowed: options of forward-auth that have no prop of their own`,
    );
  }
}

/** The options as variables; the command checks their values at start. */
function environmentOf(props: ForwardAuthSidecarProps): Readonly<Record<string, string>> {
  const options: Readonly<Record<string, string | undefined>> = {
    ...props.options,
    issuer: props.issuer,
    audience: props.audiences.join(' '),
    tables: props.tables,
    'own-tokens-only': props.ownTokensOnly === true ? '1' : undefined,
    'client-address-header': props.clientAddressHeader,
    listen: `127.0.0.1:${forwardAuthPort}`,
  };
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[`FORWARD_AUTH_${name.toUpperCase().replaceAll('-', '_')}`, value] as const],
    ),
  );
}

/**
 * Adds forward-auth to an ECS task, next to its proxy: not root, a read-only file system, no Linux
 * capabilities, no port outside of the task. The task's role may read single records of the
 * authorization server's tables.
 *
 * @example
 * const check = new ForwardAuthSidecar(scope, 'Check', { ...task, issuer, audiences, tables });
 * check.startBefore(proxy);
 */
export class ForwardAuthSidecar extends Construct {
  readonly container: ContainerDefinition;

  constructor(scope: Construct, id: string, props: ForwardAuthSidecarProps) {
    super(scope, id);
    checkProps(props);
    this.container = this.addContainer(props);
    if (props.tables === undefined) return;
    for (const statement of readTablesOf(
      tableArns(this, props.tables),
      batchedPlatformApiActions,
    )) {
      props.taskDefinition.addToTaskRolePolicy(statement);
    }
  }

  /** Lets a container, the proxy, start when the issuer, its keys and the tables have answered. */
  startBefore(container: ContainerDefinition): void {
    container.addContainerDependencies({
      container: this.container,
      condition: ContainerDependencyCondition.HEALTHY,
    });
  }

  private addContainer(props: ForwardAuthSidecarProps): ContainerDefinition {
    const linuxParameters = new LinuxParameters(this, 'Linux');
    linuxParameters.dropCapabilities(Capability.ALL);
    return props.taskDefinition.addContainer('forward-auth', {
      image: props.image,
      environment: { ...environmentOf(props), AWS_REGION: Stack.of(this).region },
      user: forwardAuthUser,
      readonlyRootFilesystem: true,
      linuxParameters,
      memoryLimitMiB: props.memoryLimitMiB ?? 256,
      // Without the check every request is refused, so the task is replaced.
      essential: true,
      stopTimeout,
      healthCheck: {
        command: ['CMD', ...readyProbe],
        interval: Duration.seconds(10),
        timeout: Duration.seconds(3),
        startPeriod: Duration.seconds(30),
        retries: 3,
      },
      logging: LogDrivers.awsLogs({ streamPrefix: 'forward-auth', logGroup: this.addLogGroup() }),
    });
  }

  private addLogGroup(): LogGroup {
    return new LogGroup(this, 'Logs', {
      // As long as the authorization server keeps its own.
      retention: RetentionDays.THIRTEEN_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}
