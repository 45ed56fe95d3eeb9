import { Stack, type StackProps } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import {
  Cluster,
  ContainerDependencyCondition,
  type ContainerImage,
  FargateService,
  FargateTaskDefinition,
} from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import { ForwardAuthSidecar } from './forward-auth-sidecar.ts';

export interface MessagesServiceProps extends StackProps {
  readonly vpc: IVpc;
  /** The authorization server, exactly as `issuer` in its discovery document. */
  readonly issuer: string;
  /** The value of `aud` by which this API knows itself. */
  readonly audience: string;
  /** The beginning of the ARNs of the authorization server's tables. */
  readonly tables: string;
  readonly images: {
    /** NGINX with a configuration such as examples/proxies/nginx. It listens on port 8000. */
    readonly proxy: ContainerImage;
    /** The service, in any language. It listens on 127.0.0.1. */
    readonly service: ContainerImage;
    /** examples/forward-auth/Dockerfile. */
    readonly forwardAuth: ContainerImage;
  };
}

/**
 * A service with its proxy and the check in one Fargate task. They share the loopback interface:
 * from outside, only the proxy is reached.
 */
export class MessagesService extends Stack {
  readonly service: FargateService;

  constructor(scope: Construct, id: string, props: MessagesServiceProps) {
    super(scope, id, props);
    const { images, vpc } = props;
    const taskDefinition = new FargateTaskDefinition(this, 'Task', {
      cpu: 512,
      memoryLimitMiB: 1024,
    });
    const service = taskDefinition.addContainer('messages', { image: images.service });
    const proxy = taskDefinition.addContainer('proxy', {
      image: images.proxy,
      portMappings: [{ containerPort: 8000 }],
    });
    proxy.addContainerDependencies({
      container: service,
      condition: ContainerDependencyCondition.START,
    });
    const check = new ForwardAuthSidecar(this, 'Check', {
      taskDefinition,
      image: images.forwardAuth,
      issuer: props.issuer,
      audiences: [props.audience],
      tables: props.tables,
      clientAddressHeader: 'X-Real-IP',
    });
    check.startBefore(proxy);
    const cluster = new Cluster(this, 'Cluster', { vpc });
    this.service = new FargateService(this, 'Service', {
      cluster,
      taskDefinition,
      desiredCount: 2,
      minHealthyPercent: 100,
    });
  }
}
