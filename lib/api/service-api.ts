import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AwsIntegration,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type Integration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  ARecord,
  type ARecordProps,
  HealthCheck,
  HealthCheckType,
  HostedZone,
  type IHealthCheck,
  type IHostedZone,
  RecordTarget,
} from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { regionalHost } from '../../contract/addresses.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { healthySearchString } from '../../contract/health.ts';
import type { RegionId } from '../../contract/regions.ts';
import {
  type HttpFunctionName,
  healthPath,
  type Route,
  type RouteOptions,
  routesOf,
  type Throttles,
} from '../../contract/routes.ts';
import { acknowledgeNoTracing } from '../functions/service-function.ts';
import { accessLogFormat, GatewayResponses } from './gateway-responses.ts';

/** A literal, because the issuer contains it before the stage exists. */
export const stageName = 'live';

/** The rule that wants a stage to be traced. */
export const untracedApi = 'Serverless::Serverless-APIGWXrayEnabled';

/** Post-quantum key exchange if the caller supports it, TLS 1.2 for older callers. */
export const tlsPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

interface ServiceApiProps {
  readonly deploymentName: string;
  /** Whether callers use a custom domain. The API's own host is then closed. */
  readonly hasDomain: boolean;
  readonly throttles: Throttles;
  /** Which paths there are in addition to those of every deployment. */
  readonly routeOptions: RouteOptions;
  /** Whether the stage has a web ACL. */
  readonly hasWebAcl: boolean;
  readonly tracing: 'on' | 'off';
}

/** The REST API of one region. Routes and their limits come from the route table. */
export class ServiceApi extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  private readonly routes: readonly Route[];

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    // Without a domain each path begins with the stage, so no path can be at the origin's root.
    this.routes = routesOf(props.routeOptions).filter(
      (route) => props.hasDomain || route.atOrigin !== true,
    );
    this.accessLog = this.addAccessLog(props.deploymentName);
    this.restApi = this.addRestApi(props);
    requireTls(this.restApi);
    this.acknowledge();
    if (!props.hasWebAcl) this.acknowledgeNoWebAcl();
    if (props.tracing === 'off') acknowledgeNoTracing(this.restApi.deploymentStage, untracedApi);
    new GatewayResponses(this, 'GatewayResponses', { restApi: this.restApi });
  }

  /** The API's address without a domain, including the stage. Known before the stage exists. */
  get address(): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}/${stageName}`;
  }

  /** Connects every route to its function. */
  addRoutes(functions: Readonly<Record<HttpFunctionName, IFunction>>): void {
    for (const route of this.routes) this.addRoute(route, functions[route.function]);
  }

  private addRoute(route: Route, handler: IFunction): void {
    const resource = this.restApi.root.resourceForPath(route.path);
    const integration = proxyTo(handler);
    // ANY: a wrong method gets our 405 and not the gateway's 403.
    for (const method of [...route.methods, 'ANY']) resource.addMethod(method, integration);
    handler.addPermission(`Invoke ${route.path}`, {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.restApi.arnForExecuteApi('*', route.path, stageName),
    });
  }

  private addAccessLog(deploymentName: string): LogGroup {
    return new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/apigateway/${deploymentName}/access`,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }

  private addRestApi(props: ServiceApiProps): RestApi {
    const restApi = new RestApi(this, 'RestApi', {
      restApiName: props.deploymentName,
      description: 'OAuth 2.0 authorization server',
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: props.hasDomain,
      cloudWatchRole: false,
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
        tracingEnabled: props.tracing === 'on',
        ...methodSettings,
        // The gateway refuses unknown paths, which costs nothing.
        throttlingRateLimit: 100,
        throttlingBurstLimit: 100,
        methodOptions: Object.fromEntries(
          this.routes.flatMap((route) => methodOptions(route, props.throttles)),
        ),
      },
    });
    // CDK's own output. With a domain it names a closed host.
    restApi.node.tryRemoveChild('Endpoint');
    return restApi;
  }

  private acknowledgeNoWebAcl(): void {
    Validations.of(this.restApi).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG3',
      reason:
        'The configuration has no web ACL, which has a monthly price: method throttles and cheap refusals protect a small deployment.',
    });
  }

  private acknowledge(): void {
    Validations.of(this.restApi).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-APIG2',
        reason:
          "The functions parse every request strictly and answer in the protocol's own error shape, which API Gateway's validators cannot.",
      },
      {
        id: 'AwsSolutions::AwsSolutions-APIG4',
        reason:
          'The token endpoint authenticates clients by HTTP Basic in the function (RFC 6749 §3.2.1); discovery, JWKS and health are public.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-COG4',
        reason: 'This service is the authorization server; it has no Cognito user pool.',
      },
    );
  }
}

/** The L2 construct has no property for these. */
export function requireTls(restApi: RestApi): void {
  const resource = restApi.node.defaultChild as CfnRestApi;
  resource.securityPolicy = tlsPolicy;
  // The name in the TLS handshake and in the Host header must agree.
  resource.endpointAccessMode = EndpointAccessMode.STRICT;
}

/** Settings of a method replace those of the stage, so each method has all settings. */
export const methodSettings = {
  loggingLevel: MethodLoggingLevel.ERROR,
  // A data trace would log the Authorization header and the body.
  dataTraceEnabled: false,
  // A cached token response would be one client's token for another.
  cachingEnabled: false,
  // The functions' own metrics are more detailed, and these cost money per method.
  metricsEnabled: false,
} satisfies MethodDeploymentOptions;

function methodOptions(
  route: Route,
  throttles: Throttles,
): readonly (readonly [string, MethodDeploymentOptions])[] {
  const { rateLimit, burstLimit } = throttles[route.throttle];
  return [...route.methods, 'ANY'].map((method) => [
    `${route.path}/${method}`,
    {
      ...methodSettings,
      throttlingRateLimit: rateLimit,
      throttlingBurstLimit: burstLimit,
    },
  ]);
}

/** A proxy integration without the per-method permissions that CDK's own adds. */
export function proxyTo(handler: IFunction): Integration {
  return new AwsIntegration({
    proxy: true,
    service: 'lambda',
    path: `2015-03-31/functions/${handler.functionArn}/invocations`,
  });
}

interface ServiceDomainProps {
  readonly domain: NonNullable<DeploymentConfig['domain']>;
  readonly regionId: RegionId;
  readonly awsRegion: string;
  /** Whether other regions serve the same name. */
  readonly shared: boolean;
  readonly restApi: RestApi;
}

/**
 * Serves the API under the deployment's name and under the region's own. If several regions share
 * the name, DNS sends each caller to the nearest healthy region. When a region is lost, no call to
 * a control plane is needed.
 */
export class ServiceDomain extends Construct {
  /** Of both names. */
  readonly certificate: Certificate;
  private readonly zone: IHostedZone;
  private readonly props: ServiceDomainProps;

  constructor(scope: Construct, id: string, props: ServiceDomainProps) {
    super(scope, id);
    this.props = props;
    const { domain, regionId, awsRegion, shared } = props;
    this.zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.hostedZoneName,
    });
    const ownHost = regionalHost(domain.name, regionId);
    this.certificate = this.addCertificate(domain.name, ownHost);
    this.addHost('Region', ownHost);
    this.addHost(
      'Default',
      domain.name,
      // One region also gets a latency record: an update cannot convert a simple record to one, and
      // regions may be added later (docs/procedures/one-region-to-three.md).
      {
        region: awsRegion,
        setIdentifier: regionId,
        ...(shared && { healthCheck: this.addHealthCheck(ownHost) }),
      },
    );
  }

  private addCertificate(domainName: string, ownHost: string): Certificate {
    return new Certificate(this, 'Certificate', {
      domainName,
      subjectAlternativeNames: [ownHost],
      validation: CertificateValidation.fromDns(this.zone),
    });
  }

  private addHost(id: string, host: string, routing: Partial<ARecordProps> = {}): void {
    const domainName = new DomainName(this, `${id}Name`, {
      domainName: host,
      certificate: this.certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: tlsPolicy,
      endpointAccessMode: EndpointAccessMode.STRICT,
      mapping: this.props.restApi,
    });
    new ARecord(this, `${id}Record`, {
      zone: this.zone,
      recordName: `${host}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
      ...routing,
    });
  }

  /**
   * Only a region that can issue tokens passes this check. API Gateway's own health, which an alias
   * record could evaluate, does not cover functions, tables and keys.
   */
  private addHealthCheck(ownHost: string): IHealthCheck {
    return new HealthCheck(this, 'HealthCheck', {
      type: HealthCheckType.HTTPS_STR_MATCH,
      fqdn: ownHost,
      resourcePath: healthPath,
      searchString: healthySearchString,
      enableSNI: true,
      // Several checkers send requests at this interval: about one every other second in total.
      requestInterval: Duration.seconds(30),
      // Three in a row: a single lost request must not move a region's traffic.
      failureThreshold: 3,
    });
  }
}
